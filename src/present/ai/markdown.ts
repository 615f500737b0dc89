import type { BlockContent, List, ListItem, Paragraph, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';
import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';

export type { BlockContent, ListItem, PhrasingContent, RootContent } from 'mdast';

export const text = (value: string): PhrasingContent => ({ type: 'text', value });
export const strong = (value: string): PhrasingContent => ({ type: 'strong', children: [text(value)] });
export const inlineCode = (value: string): PhrasingContent => ({ type: 'inlineCode', value });
export const paragraph = (...children: PhrasingContent[]): Paragraph => ({ type: 'paragraph', children });

export const heading = (value: string): RootContent => ({ type: 'heading', depth: 3, children: [text(value)] });

/**
 * A fence that no text can close: the serialiser makes it longer than any run of backticks inside. A line break that ends
 * the text is the one that the fence has anyway.
 */
export const fence = (value: string, lang: string | null = null): BlockContent => ({
  type: 'code',
  value: value.replace(/\r?\n$/, ''),
  lang,
});

export const list = (items: readonly (readonly BlockContent[])[], ordered = false): List => ({
  type: 'list',
  ordered,
  spread: false,
  children: items.map((children): ListItem => ({ type: 'listItem', spread: false, children: [...children] })),
});

export const table = (rows: readonly (readonly PhrasingContent[])[]): Table => ({
  type: 'table',
  children: rows.map((cells) => ({
    type: 'tableRow',
    children: cells.map((cell) => ({ type: 'tableCell', children: [cell] })),
  })),
});

/** A link with a text of its own; null where the URL is not one that a reader may follow. */
export const linkTo = (url: string, words: string): PhrasingContent | null =>
  isWebAddress(url) ? { type: 'link', url, children: [text(words)] } : null;

/** One that was cut leads nowhere. */
const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s<>]*[^\s<>…]$/i.test(value);

/** A link where the URL is one that a reader may follow; otherwise its text. */
export const linkOrText = (value: string): PhrasingContent =>
  isWebAddress(value) ? { type: 'link', url: value, children: [text(value)] } : text(value);

const EXTENSION = gfmTableToMarkdown({ tablePipeAlign: false, tableCellPadding: true });

/** Serialises blocks; everything that came from a tool is escaped by construction. */
export const serialise = (children: readonly RootContent[]): string => {
  const root: Root = { type: 'root', children: [...children] };
  const markdown = toMarkdown(root, {
    bullet: '-',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    extensions: [EXTENSION],
  });
  return neutraliseMarkers(markdown);
};
