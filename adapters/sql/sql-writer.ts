/** A statement ready to run. Values are what SQL columns hold. */
export type SqlStatement = { readonly sql: string; readonly parameters: readonly (string | number | null)[] };

/**
 * Writes statements as a unit: all of them or none. The promise resolves when they are durable as far as the
 * database promises it, with the number of rows that each statement changed. How units are gathered (a group commit, a batch, a transaction) is the database's affair.
 */
export type SqlWriter = { write(statements: readonly SqlStatement[]): Promise<readonly number[]> };
