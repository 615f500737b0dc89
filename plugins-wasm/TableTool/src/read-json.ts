import { PluginError } from 'vcp-plugin';
import type { Cell, ReadTable, Warning } from './table.ts';
import { toTable } from './to-table.ts';

/** A list of objects (columns are their keys in the order of their first appearance) or a list of lists. */
export function readJson(text: string, { hasHeader }: { hasHeader: boolean }): ReadTable {
  const value = parse(text);
  if (!Array.isArray(value) || value.length === 0) throw noTable('the JSON is not a list with rows');
  const nested = new Set<string>();
  const read = value.every(Array.isArray)
    ? toTable(fromLists(value, nested), { hasHeader })
    : toTable(fromObjects(value, nested), { hasHeader: true });
  return { format: 'json', table: read.table, delimiter: null, warnings: [...read.warnings, ...nestedValues(nested)] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new PluginError('TABLE.INVALID_JSON', `the text is not JSON: ${(error as Error).message}`, {
      target: 'text',
    });
  }
}

function fromLists(rows: readonly unknown[][], nested: Set<string>): Cell[][] {
  return rows.map((row) => row.map((value, index) => cellOf(value, `column${index + 1}`, nested)));
}

function fromObjects(rows: readonly unknown[], nested: Set<string>): Cell[][] {
  const columns = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw noTable(`row ${index + 1} of the JSON is no object; a table is a list of objects or a list of lists`);
    }
    for (const key of Object.keys(row)) columns.add(key);
  }
  const names = [...columns];
  const cells = rows.map((row) => {
    const object = row as Record<string, unknown>;
    return names.map((name) => cellOf(Object.hasOwn(object, name) ? object[name] : null, name, nested));
  });
  return [names, ...cells];
}

function cellOf(value: unknown, column: string, nested: Set<string>): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  nested.add(column);
  return JSON.stringify(value);
}

function nestedValues(columns: ReadonlySet<string>): Warning[] {
  if (columns.size === 0) return [];
  const message = 'cells with objects or lists hold them as JSON text';
  return [{ code: 'TABLE.NESTED_VALUES', message, details: { columns: [...columns].slice(0, 20) } }];
}

function noTable(message: string): PluginError {
  return new PluginError('TABLE.NO_TABLE', message, { target: 'text' });
}
