/** What a cell holds: CSV and Markdown know text alone, JSON numbers, truth values and nothing too. */
export type Cell = string | number | boolean | null;

export type Alignment = 'left' | 'right' | 'center' | null;

export type Warning = { code: string; message: string; details?: unknown };

/** A table as it was read: every row has as many cells as there are columns. */
export type Table = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** By column; null where the source does not say. */
  readonly alignments: readonly Alignment[];
};

export type Format = 'csv' | 'markdown' | 'json';

export type ReadTable = {
  readonly format: Format;
  readonly table: Table;
  readonly warnings: readonly Warning[];
  /** Between the cells of CSV; null for other formats. */
  readonly delimiter: string | null;
};

export function textOf(cell: Cell): string {
  return cell === null ? '' : String(cell);
}
