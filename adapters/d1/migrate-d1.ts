import { sqliteMigrations } from '../sql/migration-statements.ts';
import type { D1DatabaseLike } from './d1-database.ts';

const LEDGER = 'create table if not exists vcp_migrations (name text primary key, applied_at text not null)';

/**
 * Brings a D1 database to the newest layout. Each migration is one transaction with its line in the ledger, so that of two
 * isolates that start at once one does it, and the other finds it done. Running it again does nothing more.
 */
export const migrateD1 = async (database: D1DatabaseLike, now: () => number): Promise<void> => {
  await database.batch([database.prepare(LEDGER)]);
  const applied = async () => {
    const [found] = await database.batch([database.prepare('select name from vcp_migrations')]);
    return new Set(found?.results.map(({ name }) => name));
  };
  let done = await applied();
  for (const { name, statements } of await sqliteMigrations()) {
    if (done.has(name)) continue;
    try {
      await database.batch([
        database.prepare('insert into vcp_migrations values (?, ?)').bind(name, new Date(now()).toISOString()),
        ...statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters)),
      ]);
    } catch (error) {
      done = await applied();
      if (!done.has(name)) throw error;
    }
  }
};
