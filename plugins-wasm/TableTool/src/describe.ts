import { inferCell } from './infer-cell.ts';
import { textOf, type Table } from './table.ts';

export type ColumnFacts = {
  name: string;
  type: 'number' | 'boolean' | 'text' | 'mixed' | 'empty';
  filled: number;
  empty: number;
  distinct: number;
  minimum: number | string | null;
  maximum: number | string | null;
};

/** Longer texts are no help in `minimum` and `maximum`. */
const EXAMPLE_CHARACTERS = 80;

/** What each column holds, told from its values. */
export function describeColumns({ columns, rows }: Table): ColumnFacts[] {
  return columns.map((name, at) => {
    const values = rows.map((row) => inferCell(row[at] ?? null)).filter((value) => value !== null);
    const types = new Set(values.map((value) => (typeof value === 'string' ? 'text' : typeof value)));
    const [only] = types;
    const type = types.size > 1 ? 'mixed' : ((only ?? 'empty') as ColumnFacts['type']);
    return {
      name,
      type,
      filled: values.length,
      empty: rows.length - values.length,
      distinct: new Set(values).size,
      ...extremes(
        values.map((value) => (typeof value === 'number' ? value : textOf(value))),
        type,
      ),
    };
  });
}

function extremes(
  values: readonly (number | string)[],
  type: ColumnFacts['type'],
): Pick<ColumnFacts, 'minimum' | 'maximum'> {
  const [first] = values;
  if (first === undefined || (type !== 'number' && type !== 'text')) return { minimum: null, maximum: null };
  let minimum = first;
  let maximum = first;
  for (const value of values) {
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
  }
  return { minimum: cut(minimum), maximum: cut(maximum) };
}

function cut(value: number | string): number | string {
  return typeof value === 'number' ? value : [...value].slice(0, EXAMPLE_CHARACTERS).join('');
}
