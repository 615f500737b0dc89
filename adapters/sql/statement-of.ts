import type { Compilable } from 'kysely';
import type { SqlStatement } from './sql-writer.ts';

/** A query as a statement to write. */
export const statementOf = (query: Compilable): SqlStatement => {
  const { sql, parameters } = query.compile();
  return { sql, parameters: parameters as SqlStatement['parameters'] };
};
