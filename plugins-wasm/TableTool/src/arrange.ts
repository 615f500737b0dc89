import { PluginError } from 'vcp-plugin';
import { inferCell } from './infer-cell.ts';
import { textOf, type Cell, type Table } from './table.ts';

export type Condition = {
  readonly column: string;
  readonly is: 'equal' | 'not-equal' | 'contains' | 'less' | 'at-most' | 'greater' | 'at-least' | 'empty' | 'not-empty';
  readonly value?: Cell;
};

export type SortKey = { readonly column: string; readonly descending?: boolean };

export type Arrangement = {
  readonly where: readonly Condition[];
  readonly sort: readonly SortKey[];
  readonly select: readonly string[];
  readonly limit: number | null;
};

/** Keeps, orders and cuts the rows, then the columns, in this order: conditions and keys see all columns. */
export function arrange(table: Table, { where, sort, select, limit }: Arrangement): Table {
  const place = (column: string, target: string) => placeOf(table, column, target);
  const conditions = where.map((condition, index) => ({
    condition,
    at: place(condition.column, `where.${index}.column`),
    target: `where.${index}.value`,
  }));
  const keys = sort.map(({ column, descending = false }, index) => ({
    at: place(column, `sort.${index}.column`),
    factor: descending ? -1 : 1,
  }));
  const chosen =
    select.length === 0 ? table.columns.map((_, at) => at) : select.map((name, at) => place(name, `select.${at}`));

  const kept = table.rows.filter((row) =>
    conditions.every(({ condition, at, target }) => holds(row[at] ?? null, condition, target)),
  );
  const sorted = keys.length === 0 ? kept : sortRows(kept, keys);
  return {
    columns: chosen.map((at) => table.columns[at] ?? ''),
    alignments: chosen.map((at) => table.alignments[at] ?? null),
    rows: sorted.slice(0, limit ?? sorted.length).map((row) => chosen.map((at) => row[at] ?? null)),
  };
}

type Key = { readonly at: number; readonly factor: number };

function sortRows(rows: Table['rows'], keys: readonly Key[]): Table['rows'] {
  // What a cell stands for is found once, not in every comparison.
  const ranked = rows.map((row) => ({ row, values: keys.map(({ at }) => inferCell(row[at] ?? null)) }));
  ranked.sort((left, right) => {
    for (const [index, { factor }] of keys.entries()) {
      const order = compare(left.values[index] ?? null, right.values[index] ?? null, factor);
      if (order !== 0) return order;
    }
    return 0;
  });
  return ranked.map(({ row }) => row);
}

export function placeOf({ columns }: Table, column: string, target: string): number {
  const at = columns.indexOf(column);
  if (at !== -1) return at;
  throw new PluginError('TABLE.UNKNOWN_COLUMN', `there is no column "${column}"; there are ${columns.join(', ')}`, {
    target,
    details: { columns },
  });
}

function holds(cell: Cell, { is, value }: Condition, target: string): boolean {
  const isEmpty = textOf(cell).trim() === '';
  if (is === 'empty') return isEmpty;
  if (is === 'not-empty') return !isEmpty;
  if (value === undefined) {
    throw new PluginError('INVALID_ARGUMENT', `the condition "${is}" needs a value to compare with`, { target });
  }
  if (is === 'contains') return textOf(cell).toLowerCase().includes(textOf(value).toLowerCase());
  const order = compareValues(inferCell(cell), inferCell(value));
  switch (is) {
    case 'equal':
      return order === 0;
    case 'not-equal':
      return order !== 0;
    case 'less':
      return !isEmpty && order < 0;
    case 'at-most':
      return !isEmpty && order <= 0;
    case 'greater':
      return !isEmpty && order > 0;
    case 'at-least':
      return !isEmpty && order >= 0;
  }
}

/** Empty cells come last in both directions. */
function compare(left: Cell, right: Cell, factor: number): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return factor * compareValues(left, right);
}

/** Numbers by size and before texts; texts by their characters. */
function compareValues(left: Cell, right: Cell): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'number') return -1;
  if (typeof right === 'number') return 1;
  const [one, other] = [textOf(left), textOf(right)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
