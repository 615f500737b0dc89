import Papa from 'papaparse';
import { PluginError } from 'vcp-plugin';
import type { ReadTable, Warning } from './table.ts';
import { toTable } from './to-table.ts';

const NAMED_PLACES = 20;

/** RFC 4180 and its relatives. Without a delimiter, the one that fits best of comma, tab, bar and semicolon. */
export function readCsv(text: string, { delimiter, hasHeader }: { delimiter: string; hasHeader: boolean }): ReadTable {
  const { data, errors, meta } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimiter,
    delimitersToGuess: [',', '\t', ';', '|'],
    skipEmptyLines: true,
  });
  if (data.length === 0) throw new PluginError('TABLE.NO_TABLE', 'the text has no row', { target: 'text' });
  const { table, warnings } = toTable(data, { hasHeader });
  return { format: 'csv', table, delimiter: meta.delimiter, warnings: [...warnings, ...quoteFaults(errors)] };
}

function quoteFaults(errors: readonly Papa.ParseError[]): Warning[] {
  const faults = errors.filter(({ type }) => type === 'Quotes');
  if (faults.length === 0) return [];
  const rows = faults.slice(0, NAMED_PLACES).map(({ row, message }) => ({ row: (row ?? 0) + 1, message }));
  const message = 'a quote is not closed, or stands inside of a cell without being doubled; look at these rows';
  return [{ code: 'TABLE.BAD_QUOTES', message, details: { rows } }];
}
