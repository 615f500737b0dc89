import type { Nodes, Table as MarkdownTable } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { toString } from 'mdast-util-to-string';
import { gfmTable } from 'micromark-extension-gfm-table';
import { PluginError } from 'vcp-plugin';
import type { ReadTable, Warning } from './table.ts';
import { toTable } from './to-table.ts';

/** The first table of GitHub's Markdown in a text. Cells become plain text, or stay Markdown when `keepsMarkup`. */
export function readMarkdown(text: string, { keepsMarkup }: { keepsMarkup: boolean }): ReadTable {
  const root = fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  const [first, ...others] = tablesIn(root);
  if (first === undefined) {
    throw new PluginError('TABLE.NO_TABLE', 'the text has no Markdown table: a header row and a row of dashes', {
      target: 'text',
    });
  }
  const rows = first.children.map((row) =>
    row.children.map((cell) => (keepsMarkup ? sourceOf(cell, text) : plainText(cell))),
  );
  const { table, warnings } = toTable(rows, { hasHeader: true, alignments: first.align ?? [] });
  return { format: 'markdown', table, delimiter: null, warnings: [...warnings, ...otherTables(others)] };
}

function tablesIn(node: Nodes): MarkdownTable[] {
  if (node.type === 'table') return [node];
  return 'children' in node ? node.children.flatMap(tablesIn) : [];
}

function otherTables(others: readonly MarkdownTable[]): Warning[] {
  if (others.length === 0) return [];
  const lines = others.map(({ position }) => position?.start.line ?? null);
  const message = `the text has ${others.length} more tables; only the first was read`;
  return [{ code: 'TABLE.OTHER_TABLES', message, details: { lines } }];
}

/** As a reader sees it; a line break is written `<br>` in a table. */
function plainText(node: Nodes): string {
  if (node.type === 'html') return /^<br\s*\/?>$/i.test(node.value) ? '\n' : '';
  if (node.type === 'break') return '\n';
  return 'children' in node ? node.children.map(plainText).join('') : toString(node);
}

function sourceOf(cell: Nodes, text: string): string {
  const children = 'children' in cell ? cell.children : [];
  const start = children.at(0)?.position?.start.offset;
  const end = children.at(-1)?.position?.end.offset;
  return start === undefined || end === undefined ? '' : text.slice(start, end).replaceAll(String.raw`\|`, '|');
}
