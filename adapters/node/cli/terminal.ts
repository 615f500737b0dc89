import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

export type TextStyle = Parameters<typeof styleText>[0];

/** Colours a text when the stream shows colours: a terminal, unless NO_COLOR says no or FORCE_COLOR says yes anyway. */
export type Paint = (style: TextStyle, text: string) => string;
export const painterOf =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream });

/** Columns that prose is wrapped to: those of the terminal, but lines longer than this are hard to read. */
const READABLE_COLUMNS = 100;
const USUAL_COLUMNS = 80;
export const columnsOf = (stream: NodeJS.WriteStream): number =>
  Math.min(stream.isTTY ? stream.columns || USUAL_COLUMNS : USUAL_COLUMNS, READABLE_COLUMNS);

/**
 * Text of a tool or a server as a terminal may have it: a control character in it would be an order to the terminal, and one
 * of the writing direction would show it in another order than it has.
 */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(
    /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );

/** Wrapped to the columns, each line indented; a word that is wider than a line is cut, as text without spaces has to be. */
export const wrapped = (text: string, columns: number, indent = 0): string => {
  const margin = ' '.repeat(indent);
  return wrapAnsi(text, Math.max(20, columns - indent), { hard: true })
    .split('\n')
    .map((line) => `${margin}${line}`.trimEnd())
    .join('\n');
};

/** Padded to a number of columns; a wide character takes two. */
export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - stringWidth(text)));

/** Cut to a number of columns, the cut marked. */
export const cutTo = (text: string, columns: number): string => {
  if (stringWidth(text) <= columns) return text;
  let cut = '';
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    cut += segment;
  }
  return `${cut}…`;
};

/** Rows as a table under a heading; the last column has what is left of the line, and is cut to it. */
export const table = (
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  paint: Paint,
): string => {
  const widths = heading.map((title, column) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  const lineOf = (cells: readonly string[]) =>
    cutTo(
      cells
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
      columns,
    );
  return [paint('bold', lineOf(heading)), ...rows.map(lineOf), ''].join('\n');
};
