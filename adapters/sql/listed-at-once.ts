import { chunksOf } from '../../src/lib/chunks-of.ts';

/** Values that one list of a statement may have: D1 binds a hundred, and the statement may have others. */
export const LISTED_AT_ONCE = 90;

/** The rows for all of the values, asked for with as many at once as a statement may list. */
export const readListed = async <Value, Row>(
  values: readonly Value[],
  read: (listed: Value[]) => Promise<readonly Row[]>,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const listed of chunksOf(values, LISTED_AT_ONCE)) rows.push(...(await read(listed)));
  return rows;
};
