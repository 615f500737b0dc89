import type { D1DatabaseLike } from './d1-database.ts';

const TABLE =
  'create table if not exists vcp_address (only_row integer primary key check (only_row = 1), origin text not null)';

/** Notes under which address the worker was asked; nothing is written where it is the same as before. */
export const noteAddress = async (database: D1DatabaseLike, origin: string): Promise<void> => {
  const note = `insert into vcp_address values (1, ?)
    on conflict (only_row) do update set origin = excluded.origin where origin <> excluded.origin`;
  await database.batch([database.prepare(TABLE), database.prepare(note).bind(origin)]);
};

/** The address that was noted last by any isolate; null when none was. */
export const lastAddress = async (database: D1DatabaseLike): Promise<string | null> => {
  const [, found] = await database.batch([database.prepare(TABLE), database.prepare('select origin from vcp_address')]);
  const origin = found?.results[0]?.['origin'];
  return typeof origin === 'string' ? origin : null;
};
