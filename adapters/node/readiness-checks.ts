import { randomBytes } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { formatBytes } from '../../src/lib/bytes.ts';
import type { Limits } from '../../src/lib/limits.ts';
import type { ReadinessCheck } from '../../src/ports/readiness-check.ts';
import { databaseCheck } from '../sql/database-check.ts';
import type { Tables } from '../sql/tables.ts';

/** Whether results could be read and stored right now. Faults are told with the operating system's own words. */
export const nodeReadinessChecks = (
  db: Kysely<Tables>,
  dataDirectory: string,
  { freeDiskBytes }: Pick<Limits, 'freeDiskBytes'>,
): readonly ReadinessCheck[] => [
  databaseCheck(db),
  {
    name: 'data-directory',
    check: async () => {
      const probe = join(dataDirectory, `.ready-${randomBytes(6).toString('hex')}`);
      try {
        const file = await open(probe, 'wx', 0o600);
        await file.close();
      } finally {
        await rm(probe, { force: true });
      }
      return null;
    },
  },
  {
    name: 'disk-space',
    check: async () => {
      const { bavail, bsize } = await statfs(dataDirectory);
      const free = bavail * bsize;
      if (free >= freeDiskBytes) return null;
      throw new Error(
        `only ${formatBytes(free)} are free in ${dataDirectory}; VCP_LIMIT_FREE_DISK_BYTES asks for ${formatBytes(freeDiskBytes)}`,
      );
    },
  },
];
