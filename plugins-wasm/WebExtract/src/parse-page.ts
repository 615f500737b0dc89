import { isTag, type Document, type Element } from 'domhandler';
import { selectOne } from 'css-select';
import { parseDocument } from 'htmlparser2';
import { PluginError } from 'vcp-plugin';
import { fetchText, type FetchedText } from './fetch-text.ts';
import { implyTableBodies } from './imply-table-bodies.ts';

export type Page = { readonly document: Document; readonly facts: FetchedText['facts']; readonly base: string };

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1';
const HTML_TYPES = new Set(['', 'text/html', 'application/xhtml+xml', 'application/xml', 'text/xml']);

/**
 * Fetches an address and parses it as HTML.
 *
 * @throws PluginError when it is something else.
 */
export function fetchPage(url: string): Page {
  const { text, facts } = fetchText(url, HTML);
  if (!HTML_TYPES.has(facts.mediaType)) {
    throw new PluginError('WEB.NOT_HTML', `${facts.finalUrl} is ${facts.mediaType}, not a page`, {
      target: 'url',
      details: { mediaType: facts.mediaType },
    });
  }
  const document = parseDocument(text);
  implyTableBodies(document);
  const href = attribute(selectOne('base[href]', document), 'href');
  return { document, facts, base: absolute(href ?? '', facts.finalUrl) ?? facts.finalUrl };
}

export function attribute(element: unknown, name: string): string | null {
  if (typeof element !== 'object' || element === null || !isTag(element as Element)) return null;
  const value = (element as Element).attribs[name]?.trim();
  return value === undefined || value === '' ? null : value;
}

/** Null for what is no address of the web, such as `javascript:` and `mailto:`. */
export function absolute(reference: string, base: string): string | null {
  try {
    const { href, protocol } = new URL(reference, base);
    return protocol === 'https:' || protocol === 'http:' ? href : null;
  } catch {
    return null;
  }
}
