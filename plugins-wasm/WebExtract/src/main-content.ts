import { selectAll } from 'css-select';
import { isTag, type AnyNode, type Document, type Element } from 'domhandler';
import { isHidden } from './is-hidden.ts';
import { attribute } from './parse-page.ts';
import { plainText } from './plain-text.ts';

/** Around the content of a page, never in it. */
const FURNITURE = new Set(['nav', 'header', 'footer', 'aside', 'form', 'dialog', 'menu', 'button', 'select', 'iframe']);
const FURNITURE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search', 'dialog', 'menu']);

/** A page whose marked content has less text than this most likely marks something else. */
const LEAST_CHARACTERS = 80;

/** The part of a page that it is about: what it marks as such, else all of it but its furniture. */
export function mainContent(document: Document): AnyNode[] {
  for (const selector of ['article', 'main, [role="main"]']) {
    const [largest] = selectAll<AnyNode, Element>(selector, document)
      .map((element) => ({ element, size: plainText([element]).length }))
      .toSorted((left, right) => right.size - left.size);
    if (largest !== undefined && largest.size >= LEAST_CHARACTERS) return [largest.element];
  }
  const [body] = selectAll<AnyNode, Element>('body', document);
  return body === undefined ? document.children : body.children;
}

/** Whether readers of the content would miss nothing without this element. */
export function isFurniture(node: AnyNode): boolean {
  if (!isTag(node)) return false;
  const role = attribute(node, 'role');
  if (role !== null && FURNITURE_ROLES.has(role)) return true;
  if (isHidden(node)) return true;
  // The header of an article holds its title.
  if (node.name === 'header' && node.children.some((child) => isTag(child) && /^h[1-6]$/.test(child.name)))
    return false;
  return FURNITURE.has(node.name);
}
