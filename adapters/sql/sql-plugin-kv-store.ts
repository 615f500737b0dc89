import { sql, type Kysely } from 'kysely';
import { kvBytes, type PluginKvStore } from '../../src/ports/plugin-kv-store.ts';
import type { SqlWriter } from './sql-writer.ts';
import { countChanges } from './statement-of.ts';
import type { Tables } from './tables.ts';

/**
 * Values of plugins in a SQL database. The sum and the write are one statement, so the bound holds wherever writes
 * happen one after the other, as they do in SQLite; a database that lets them overlap must write at isolation level
 * serializable.
 */
export const createSqlPluginKvStore = (db: Kysely<Tables>, writer: SqlWriter): PluginKvStore => {
  const changedBy = countChanges(writer);

  return {
    get: async (plugin, key) => {
      const row = await db
        .selectFrom('plugin_values')
        .select('value')
        .where('plugin', '=', plugin)
        .where('key', '=', key)
        .executeTakeFirst();
      return row?.value ?? null;
    },
    set: async (plugin, key, value, maxBytes) => {
      const bytes = kvBytes(key, value);
      const taken = db
        .selectFrom('plugin_values')
        .select(({ fn }) => fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('taken'))
        .where('plugin', '=', plugin);
      const replaced = db
        .selectFrom('plugin_values')
        .select('bytes')
        .where('plugin', '=', plugin)
        .where('key', '=', key);
      const upsert = db
        .insertInto('plugin_values')
        .columns(['plugin', 'key', 'value', 'bytes'])
        .expression(
          db
            .selectNoFrom([
              sql<string>`${plugin}`.as('plugin'),
              sql<string>`${key}`.as('key'),
              sql<string>`${value}`.as('value'),
              sql<number>`${bytes}`.as('bytes'),
            ])
            .where(sql<boolean>`${taken} - coalesce(${replaced}, 0) + ${bytes} <= ${maxBytes}`),
        )
        .onConflict((conflict) => conflict.columns(['plugin', 'key']).doUpdateSet({ value, bytes }));
      return (await changedBy(upsert)) === 1;
    },
    remove: async (plugin, key) => {
      await changedBy(db.deleteFrom('plugin_values').where('plugin', '=', plugin).where('key', '=', key));
    },
  };
};
