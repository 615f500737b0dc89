import stringWidth from 'fast-string-width';
import type { PhrasingContent, Table as MarkdownTable } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';
import Papa from 'papaparse';
import { inferCell } from './infer-cell.ts';
import { textOf, type Alignment, type Cell, type Format, type Table } from './table.ts';

export type WriteOptions = {
  readonly to: Format;
  readonly delimiter: string;
  readonly header: boolean;
  readonly cells: 'text' | 'markdown';
  readonly jsonRows: 'objects' | 'lists';
  readonly inferTypes: boolean;
  /** By column; what is not named follows the source, then the kind of its values. */
  readonly align: ReadonlyMap<string, Alignment>;
};

export function writeTable(table: Table, options: WriteOptions): string {
  switch (options.to) {
    case 'csv':
      return writeCsv(table, options);
    case 'json':
      return writeJson(table, options);
    case 'markdown':
      return writeMarkdown(table, options);
  }
}

function writeCsv({ columns, rows }: Table, { delimiter, header }: WriteOptions): string {
  const lines = header ? [columns, ...rows] : rows;
  const text = Papa.unparse(
    lines.map((row) => row.map(textOf)),
    { delimiter, newline: '\n' },
  );
  return text === '' ? '' : `${text}\n`;
}

function writeJson({ columns, rows }: Table, { jsonRows, inferTypes, header }: WriteOptions): string {
  const typed = inferTypes ? rows.map((row) => row.map(inferCell)) : rows;
  const lists = header ? [columns, ...typed] : typed;
  const lines =
    jsonRows === 'lists'
      ? lists
      : typed.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
  // One row a line: short, and a difference shows the row.
  return lines.length === 0 ? '[]\n' : `[\n${lines.map((line) => `  ${JSON.stringify(line)}`).join(',\n')}\n]\n`;
}

/** Columns are as wide as they look: a Chinese character takes two places. */
function writeMarkdown({ columns, rows, alignments }: Table, { cells, align }: WriteOptions): string {
  const toCell = (cell: Cell) => ({ type: 'tableCell' as const, children: contentOf(textOf(cell), cells) });
  const tree: MarkdownTable = {
    type: 'table',
    align: columns.map((name, at) => align.get(name) ?? alignments[at] ?? (isNumeric(rows, at) ? 'right' : null)),
    children: [columns, ...rows].map((row) => ({ type: 'tableRow', children: row.map(toCell) })),
  };
  return toMarkdown(tree, { extensions: [gfmTableToMarkdown({ stringLength: (text) => stringWidth(text) })] });
}

function contentOf(text: string, cells: WriteOptions['cells']): PhrasingContent[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.flatMap((value, index): PhrasingContent[] => [
    ...(index === 0 ? [] : [{ type: 'html' as const, value: '<br>' }]),
    cells === 'markdown' ? { type: 'html', value: value.replaceAll('|', String.raw`\|`) } : { type: 'text', value },
  ]);
}

function isNumeric(rows: Table['rows'], at: number): boolean {
  const values = rows.map((row) => inferCell(row[at] ?? null)).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
