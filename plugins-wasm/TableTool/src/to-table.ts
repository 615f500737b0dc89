import type { Alignment, Cell, Table, Warning } from './table.ts';

/** How many places of a fault are named; the rest is counted. */
const NAMED_PLACES = 20;

/**
 * Makes a rectangle of rows that may be ragged, and says what had to be done for it: short rows are filled with empty
 * cells, and what stands beyond the last column gets a column of its own, so that nothing is lost.
 */
export function toTable(
  rows: readonly (readonly Cell[])[],
  { hasHeader, alignments = [] }: { hasHeader: boolean; alignments?: readonly Alignment[] },
): { table: Table; warnings: Warning[] } {
  const [first = []] = rows;
  const body = hasHeader ? rows.slice(1) : rows;
  const expected = first.length;
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const names = Array.from({ length: width }, (_, index) => {
    const given = hasHeader ? String(first[index] ?? '').trim() : '';
    return given === '' ? `column${index + 1}` : given;
  });
  const columns = distinct(names);
  const warnings = [...raggedRows(body, expected, hasHeader ? 2 : 1), ...renamedColumns(names, columns)];
  return {
    table: {
      columns,
      rows: body.map((row) => columns.map((_, index) => row[index] ?? (index < row.length ? null : ''))),
      alignments: columns.map((_, index) => alignments[index] ?? null),
    },
    warnings,
  };
}

function raggedRows(rows: readonly (readonly Cell[])[], expected: number, firstRow: number): Warning[] {
  const ragged = rows.flatMap((row, index) =>
    row.length === expected ? [] : [{ row: index + firstRow, cells: row.length }],
  );
  if (ragged.length === 0) return [];
  const message =
    `${ragged.length} of ${rows.length} rows have more or fewer than ${expected} cells; ` +
    'missing cells are empty, further ones are in columns of their own';
  return [{ code: 'TABLE.RAGGED_ROWS', message, details: { expected, rows: ragged.slice(0, NAMED_PLACES) } }];
}

function renamedColumns(before: readonly string[], after: readonly string[]): Warning[] {
  const renamed = after.filter((name, index) => name !== before[index]);
  if (renamed.length === 0) return [];
  const message = 'several columns have the same name; the later ones are numbered';
  return [{ code: 'TABLE.DUPLICATE_COLUMNS', message, details: { renamed: renamed.slice(0, NAMED_PLACES) } }];
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let candidate = name;
    for (let number = 2; taken.has(candidate); number += 1) candidate = `${name}_${number}`;
    taken.add(candidate);
    return candidate;
  });
}
