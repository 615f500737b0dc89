import type { Element } from 'domhandler';
import { absolute, attribute } from './parse-page.ts';
import { plainText } from './plain-text.ts';

export type Link = { text: string; url: string; rel: string | null; isInternal: boolean };

export type LinkFilter = { readonly scope: 'all' | 'internal' | 'external'; readonly contains?: string };

/** The links among these elements, each address once, with its longest text. */
export function readLinks(anchors: readonly Element[], base: string, { scope, contains }: LinkFilter): Link[] {
  const host = new URL(base).host;
  const links = new Map<string, Link>();
  for (const anchor of anchors) {
    const href = attribute(anchor, 'href');
    const url = href === null || href.startsWith('#') ? null : absolute(href, base);
    if (url === null) continue;
    const text = plainText(anchor.children);
    const known = links.get(url);
    if (known !== undefined && known.text.length >= text.length) continue;
    links.set(url, { text, url, rel: attribute(anchor, 'rel'), isInternal: new URL(url).host === host });
  }
  const sought = contains?.toLowerCase() ?? '';
  return [...links.values()].filter(
    ({ text, url, isInternal }) =>
      (scope === 'all' || isInternal === (scope === 'internal')) && `${text}\n${url}`.toLowerCase().includes(sought),
  );
}
