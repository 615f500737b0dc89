import type { Compilable } from 'kysely';
import type { SqlStatement, SqlWriter } from './sql-writer.ts';

/** A query as a statement to write. */
export const statementOf = (query: Compilable): SqlStatement => {
  const { sql, parameters } = query.compile();
  return { sql, parameters: parameters as SqlStatement['parameters'] };
};

/** Writes a query alone, and tells how many rows it changed. */
export const countChanges =
  (writer: SqlWriter) =>
  async (query: Compilable): Promise<number> => {
    const [changed = 0] = await writer.write([statementOf(query)]);
    return changed;
  };
