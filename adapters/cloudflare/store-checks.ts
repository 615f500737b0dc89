import type { Kysely } from 'kysely';
import type { ReadinessCheck } from '../../src/ports/readiness-check.ts';
import type { R2BucketLike } from '../r2/r2-bucket.ts';
import { databaseCheck } from '../sql/database-check.ts';
import type { Tables } from '../sql/tables.ts';

/** Whether the stores of a worker answer. */
export const storeChecks = (db: Kysely<Tables>, bucket: R2BucketLike): readonly ReadinessCheck[] => [
  databaseCheck(db),
  {
    name: 'resources',
    check: async () => {
      await bucket.list({ prefix: 'blobs/', limit: 1 });
      return null;
    },
  },
];
