import { isTag, type Element } from 'domhandler';
import { attribute } from './parse-page.ts';
import { plainText } from './plain-text.ts';

export type HtmlTable = { caption: string | null; columns: string[] | null; rows: string[][] };

/** A cell may claim to span any number of others. */
const WIDEST_SPAN = 100;

/** The cells of a table as text; what spans several columns or rows stands in each of them. */
export function readTable(table: Element): HtmlTable {
  const rows = rowsOf(table);
  const lines = fill(rows);
  const [first] = rows;
  const hasHeader =
    first !== undefined &&
    (first.parent as Element | null)?.name !== 'tfoot' &&
    ((first.parent as Element | null)?.name === 'thead' || cellsOf(first).every(({ name }) => name === 'th'));
  const caption = table.children.find((child): child is Element => isTag(child) && child.name === 'caption');
  return {
    caption: (caption === undefined ? '' : plainText(caption.children)) || null,
    columns: hasHeader ? (lines[0] ?? null) : null,
    rows: hasHeader ? lines.slice(1) : lines,
  };
}

/** Those of the table itself, not of tables in its cells. */
function rowsOf(table: Element): Element[] {
  return table.children.filter(isTag).flatMap((child) => {
    if (child.name === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.name)
      ? child.children.filter(isTag).filter(({ name }) => name === 'tr')
      : [];
  });
}

function cellsOf(row: Element): Element[] {
  return row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');
}

function fill(rows: readonly Element[]): string[][] {
  const lines: (string | undefined)[][] = rows.map(() => []);
  for (const [index, row] of rows.entries()) {
    let at = 0;
    for (const cell of cellsOf(row)) {
      while (lines[index]?.[at] !== undefined) at += 1;
      const text = plainText(cell.children);
      const wide = span(cell, 'colspan');
      const high = Math.min(span(cell, 'rowspan'), rows.length - index);
      for (let down = 0; down < high; down += 1) {
        const line = lines[index + down];
        for (let right = 0; line !== undefined && right < wide; right += 1) line[at + right] ??= text;
      }
      at += wide;
    }
  }
  const width = Math.max(0, ...lines.map(({ length }) => length));
  return lines.map((line) => Array.from({ length: width }, (_, at) => line[at] ?? ''));
}

function span(cell: Element, name: 'colspan' | 'rowspan'): number {
  const value = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return value >= 1 ? Math.min(value, WIDEST_SPAN) : 1;
}
