import { isTag, isText, type AnyNode, type Element } from 'domhandler';
import type { BlockContent, ListItem, PhrasingContent, Table as MarkdownTable } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown as writeMarkdown, type Options } from 'mdast-util-to-markdown';
import { isFurniture } from './main-content.ts';
import { absolute, attribute } from './parse-page.ts';
import { plainText } from './plain-text.ts';
import { readTable } from './read-tables.ts';

const SILENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math', 'link', 'meta']);

/** Elements that stand in a line of text. */
const INLINE = new Set(
  'a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

const OPTIONS = { extensions: [gfmTableToMarkdown()], bullet: '-', emphasis: '_' } satisfies Options;

/** Nested deeper than this, elements are taken as their text. */
const DEEPEST = 100;

/**
 * HTML as Markdown, with whole addresses in links and pictures. Blocks are written until there are enough characters, so
 * that a long page costs no more than what is asked of it; `isCut` says that there would be more.
 */
export function toMarkdown(
  nodes: readonly AnyNode[],
  { base, maxCharacters }: { base: string; maxCharacters: number },
): { text: string; isCut: boolean } {
  let text = '';
  for (const child of blocks(nodes, base, 0)) {
    if (text.length >= maxCharacters) return { text: cut(text, maxCharacters), isCut: true };
    const written = writeMarkdown({ type: 'root', children: [child] }, OPTIONS);
    text += text === '' ? written : `\n${written}`;
  }
  return { text: cut(text, maxCharacters), isCut: text.length > maxCharacters };
}

/** Never between the two halves of a character. */
function cut(text: string, length: number): string {
  const kept = text.slice(0, length);
  return kept.isWellFormed() ? kept : kept.slice(0, -1);
}

/** Paragraphs are made of what stands in lines between two blocks. */
function blocks(nodes: readonly AnyNode[], base: string, depth: number): BlockContent[] {
  const found: BlockContent[] = [];
  let line: AnyNode[] = [];
  const endLine = () => {
    const children = trimmed(phrasing(line, base, depth));
    if (children.length > 0) found.push({ type: 'paragraph', children });
    line = [];
  };
  for (const node of nodes) {
    if (isText(node) || (isTag(node) && INLINE.has(node.name) && !holdsBlock(node, depth))) {
      line.push(node);
    } else if (isTag(node) && !SILENT.has(node.name) && !isFurniture(node)) {
      endLine();
      found.push(...block(node, base, depth + 1));
    }
  }
  endLine();
  return found;
}

function block(element: Element, base: string, depth: number): BlockContent[] {
  const { name, children } = element;
  if (depth > DEEPEST) return paragraph(plainText(children));
  const heading = /^h([1-6])$/.exec(name)?.[1];
  if (heading !== undefined) {
    const content = trimmed(phrasing(children, base, depth));
    return content.length === 0 ? [] : [{ type: 'heading', depth: Number(heading) as 1, children: content }];
  }
  switch (name) {
    case 'pre':
      return [{ type: 'code', value: sourceText(children).replace(/^\n|\n$/g, ''), lang: languageOf(element) }];
    case 'hr':
      return [{ type: 'thematicBreak' }];
    case 'blockquote':
      return wrapped(blocks(children, base, depth), (content) => ({ type: 'blockquote', children: content }));
    case 'ul':
    case 'ol':
      return list(element, base, depth);
    case 'table':
      return table(element);
    default:
      return blocks(children, base, depth);
  }
}

function list(element: Element, base: string, depth: number): BlockContent[] {
  const children = element.children.filter(isTag).flatMap((child): ListItem[] => {
    const content = blocks(child.children, base, depth);
    return content.length === 0 ? [] : [{ type: 'listItem', spread: false, children: content }];
  });
  if (children.length === 0) return [];
  return [{ type: 'list', ordered: element.name === 'ol', start: 1, spread: false, children }];
}

/** A table of one column is most often there for the layout. */
function table(element: Element): BlockContent[] {
  const { columns, rows } = readTable(element);
  const lines = columns === null ? rows : [columns, ...rows];
  if (lines.length === 0) return [];
  const children = lines.map((cells) => ({
    type: 'tableRow' as const,
    children: cells.map((value) => ({ type: 'tableCell' as const, children: [{ type: 'text' as const, value }] })),
  }));
  const tree: MarkdownTable = { type: 'table', children };
  return (lines[0]?.length ?? 0) > 1 ? [tree] : lines.flatMap(([text = '']) => paragraph(text));
}

function phrasing(nodes: readonly AnyNode[], base: string, depth: number): PhrasingContent[] {
  if (depth > DEEPEST) return words(plainText(nodes));
  return nodes.flatMap((node): PhrasingContent[] => {
    if (isText(node)) return words(node.data.replaceAll(/\s+/g, ' '));
    if (!isTag(node) || SILENT.has(node.name) || isFurniture(node)) return [];
    const inside = () => phrasing(node.children, base, depth + 1);
    switch (node.name) {
      case 'br':
        return [{ type: 'break' }];
      case 'img':
        return image(node, base);
      case 'a':
        return link(node, base, inside());
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt': {
        const value = sourceText(node.children).trim();
        return value === '' ? [] : [{ type: 'inlineCode', value }];
      }
      case 'b':
      case 'strong':
        return marked('strong', inside());
      case 'i':
      case 'em':
        return marked('emphasis', inside());
      default:
        return inside();
    }
  });
}

function link(node: Element, base: string, children: PhrasingContent[]): PhrasingContent[] {
  const url = absolute(attribute(node, 'href') ?? '#', base);
  const content = trimmed(children);
  if (url === null || attribute(node, 'href')?.startsWith('#') !== false || content.length === 0) return children;
  return [{ type: 'link', url, children: content }];
}

function image(node: Element, base: string): PhrasingContent[] {
  const url = absolute(attribute(node, 'src') ?? '', base);
  const alt = attribute(node, 'alt');
  // Without a text it is decoration.
  return url === null || alt === null ? [] : [{ type: 'image', url, alt }];
}

/** Markup must not begin or end with a space; it moves out. */
function marked(type: 'strong' | 'emphasis', children: PhrasingContent[]): PhrasingContent[] {
  const content = trimmed(children);
  if (content.length === 0) return children;
  return [
    ...(startsWithSpace(children) ? words(' ') : []),
    { type, children: content },
    ...(endsWithSpace(children) ? words(' ') : []),
  ];
}

function trimmed(children: readonly PhrasingContent[]): PhrasingContent[] {
  const content = joined(children);
  while (isBlank(content.at(0))) content.shift();
  while (isBlank(content.at(-1))) content.pop();
  return content.map((child, index) => {
    if (child.type !== 'text') return child;
    let { value } = child;
    if (index === 0 || content[index - 1]?.type === 'break') value = value.trimStart();
    if (index === content.length - 1 || content[index + 1]?.type === 'break') value = value.trimEnd();
    return { ...child, value };
  });
}

/** Neighbouring texts as one, so that no two spaces meet. */
function joined(children: readonly PhrasingContent[]): PhrasingContent[] {
  const content: PhrasingContent[] = [];
  for (const child of children) {
    const last = content.at(-1);
    if (child.type === 'text' && last?.type === 'text') {
      content[content.length - 1] = { type: 'text', value: `${last.value}${child.value}`.replaceAll(/ +/g, ' ') };
    } else {
      content.push(child);
    }
  }
  return content;
}

function isBlank(child: PhrasingContent | undefined): boolean {
  return child !== undefined && (child.type === 'break' || (child.type === 'text' && child.value.trim() === ''));
}

function startsWithSpace(children: readonly PhrasingContent[]): boolean {
  const first = children.at(0);
  return first?.type === 'text' && first.value.startsWith(' ');
}

function endsWithSpace(children: readonly PhrasingContent[]): boolean {
  const last = children.at(-1);
  return last?.type === 'text' && last.value.endsWith(' ');
}

function holdsBlock(element: Element, depth: number): boolean {
  if (depth > DEEPEST) return false;
  return element.children.some(
    (child) => isTag(child) && !SILENT.has(child.name) && (!INLINE.has(child.name) || holdsBlock(child, depth + 1)),
  );
}

function sourceText(nodes: readonly AnyNode[]): string {
  return nodes
    .map((node) =>
      isText(node) ? node.data : isTag(node) ? (node.name === 'br' ? '\n' : sourceText(node.children)) : '',
    )
    .join('');
}

function languageOf(pre: Element): string | null {
  const code = pre.children.find((child) => isTag(child) && child.name === 'code');
  return /\blanguage-([\w+#-]+)/.exec(attribute(code, 'class') ?? '')?.[1] ?? null;
}

function wrapped(content: BlockContent[], wrap: (content: BlockContent[]) => BlockContent): BlockContent[] {
  return content.length === 0 ? [] : [wrap(content)];
}

function paragraph(value: string): BlockContent[] {
  return value === '' ? [] : [{ type: 'paragraph', children: words(value) }];
}

function words(value: string): PhrasingContent[] {
  return [{ type: 'text', value }];
}
