import { isTag, isText, type AnyNode } from 'domhandler';
import { isHidden } from './is-hidden.ts';

/** Text in these is none for readers. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math']);

/** What a reader sees of these nodes, with every run of white space as one space. */
export function plainText(nodes: readonly AnyNode[]): string {
  return nodes.map(rawText).join('').replaceAll(/\s+/g, ' ').trim();
}

function rawText(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!isTag(node) || SILENT.has(node.name) || isHidden(node)) return '';
  if (node.name === 'br') return ' ';
  if (node.name === 'img') return node.attribs['alt'] ?? '';
  return node.children.map(rawText).join('');
}
