import type { Kysely } from 'kysely';
import type { ReadinessCheck } from '../../src/ports/readiness-check.ts';
import type { Tables } from './tables.ts';

/** Whether results could be read right now. */
export const databaseCheck = (db: Kysely<Tables>): ReadinessCheck => ({
  name: 'database',
  check: async () => {
    // Reads a page of the file; `SELECT 1` would be answered without looking at it.
    await db.selectFrom('results').select('id').limit(1).execute();
    return null;
  },
});
