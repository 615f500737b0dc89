import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { MIGRATIONS } from './migrations.ts';
import type { SqlStatement } from './sql-writer.ts';

export type MigrationStatements = { readonly name: string; readonly statements: readonly SqlStatement[] };

/** The migrations as SQLite's statements, in their order, for databases that kysely's own migrator cannot look into. */
export const sqliteMigrations = async (): Promise<readonly MigrationStatements[]> => {
  let statements: SqlStatement[] = [];
  const recorder = new Kysely<never>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query: { sql, parameters } }) => {
      statements.push({ sql, parameters: parameters as SqlStatement['parameters'] });
    },
  });
  const migrations: MigrationStatements[] = [];
  for (const name of Object.keys(MIGRATIONS).toSorted()) {
    statements = [];
    await MIGRATIONS[name]?.up(recorder);
    migrations.push({ name, statements });
  }
  return migrations;
};
