import { Kysely } from 'kysely';
import { D1Dialect } from 'kysely-d1';
import type { SqlWriter } from '../sql/sql-writer.ts';
import type { Tables } from '../sql/tables.ts';

/** The few methods of a Cloudflare D1 binding that we call; the caller hands the binding in. */
export type D1DatabaseLike = {
  prepare(sql: string): D1StatementLike;
  /** All of the statements or none. */
  batch(statements: D1StatementLike[]): Promise<D1ResultLike[]>;
};

export type D1ResultLike = {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly meta: { readonly changes?: number };
};

export type D1StatementLike = { bind(...values: (string | number | null)[]): D1StatementLike };

/** A D1 database as the stores of `adapters/sql` want it. A unit is one batch, which D1 runs as one transaction. */
export const openD1Database = (
  database: D1DatabaseLike,
): { readonly db: Kysely<Tables>; readonly writer: SqlWriter } => ({
  db: new Kysely<Tables>({ dialect: new D1Dialect({ database: database as never }) }),
  writer: {
    write: async (statements) => {
      if (statements.length === 0) return [];
      const results = await database.batch(
        statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters)),
      );
      return results.map(({ meta }) => meta.changes ?? 0);
    },
  },
});
