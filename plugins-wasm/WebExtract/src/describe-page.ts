import { selectAll, selectOne } from 'css-select';
import type { AnyNode, Document, Element, ParentNode } from 'domhandler';
import { absolute, attribute, type Page } from './parse-page.ts';
import { plainText } from './plain-text.ts';

export type PageFacts = {
  title: string | null;
  description: string | null;
  siteName: string | null;
  author: string | null;
  published: string | null;
  language: string | null;
  canonicalUrl: string | null;
  headings: { level: number; text: string; id: string | null }[];
};

const MOST_HEADINGS = 200;

/** What a page says of itself in its head, and its headings. */
export function describePage({ document, base }: Page): PageFacts {
  // The head is short, the rest may be long.
  const head = find('head', document) ?? document;
  const meta = (...names: string[]) => metaOf(head, names);
  const title = find('title', head);
  const canonical = attribute(find('link[rel~="canonical"]', head), 'href');
  return {
    title: meta('og:title') ?? ((title === null ? '' : plainText(title.children)) || null),
    description: meta('description', 'og:description'),
    siteName: meta('og:site_name', 'application-name'),
    author: meta('author', 'article:author'),
    published: meta('article:published_time', 'date') ?? attribute(find('time[datetime]', document), 'datetime'),
    language: attribute(find('html', document), 'lang'),
    canonicalUrl: canonical === null ? null : absolute(canonical, base),
    headings: headingsOf(document),
  };
}

function metaOf(head: ParentNode, names: readonly string[]): string | null {
  for (const name of names) {
    const content = attribute(find(`meta[name="${name}" i], meta[property="${name}" i]`, head), 'content');
    if (content !== null) return content;
  }
  return null;
}

function headingsOf(document: Document): PageFacts['headings'] {
  return selectAll<AnyNode, Element>('h1, h2, h3, h4, h5, h6', document)
    .map((heading) => ({
      level: Number(heading.name.slice(1)),
      text: plainText(heading.children),
      id: attribute(heading, 'id'),
    }))
    .filter(({ text }) => text !== '')
    .slice(0, MOST_HEADINGS);
}

function find(selector: string, parent: ParentNode): Element | null {
  return selectOne<AnyNode, Element>(selector, parent);
}
