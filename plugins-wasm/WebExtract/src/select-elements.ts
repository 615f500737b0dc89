import { selectAll } from 'css-select';
import type { AnyNode, Document, Element } from 'domhandler';
import { PluginError } from 'vcp-plugin';

/**
 * What a CSS selector finds, in the order of the page.
 *
 * @throws PluginError when it is no selector, or finds nothing.
 */
export function selectElements(selector: string, document: Document): Element[] {
  let found: Element[];
  try {
    found = selectAll<AnyNode, Element>(selector, document);
  } catch (error) {
    throw new PluginError('WEB.BAD_SELECTOR', `the selector cannot be read: ${(error as Error).message}`, {
      target: 'selector',
    });
  }
  if (found.length > 0) return found;
  throw new PluginError('WEB.NOTHING_SELECTED', `no element of the page matches ${selector}`, { target: 'selector' });
}
