import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';
import { readMarkdown } from './read-markdown.ts';
import type { Format, ReadTable } from './table.ts';

export type ReadOptions = {
  readonly from: Format | 'auto';
  readonly delimiter: string;
  readonly header: boolean;
  readonly cells: 'text' | 'markdown';
};

/** A row of dashes below a row with bars is what makes a Markdown table. */
const MARKDOWN_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/m;

export function readTable(text: string, { from, delimiter, header, cells }: ReadOptions): ReadTable {
  switch (from === 'auto' ? formatOf(text) : from) {
    case 'json':
      return readJson(text, { hasHeader: header });
    case 'markdown':
      return readMarkdown(text, { keepsMarkup: cells === 'markdown' });
    case 'csv':
      return readCsv(text, { delimiter: delimiter === 'auto' ? '' : delimiter, hasHeader: header });
  }
}

function formatOf(text: string): Format {
  if (/^\s*[[{]/.test(text)) return 'json';
  return text.includes('|') && MARKDOWN_RULE.test(text) ? 'markdown' : 'csv';
}
