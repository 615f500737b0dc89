import { plugin, PluginError } from 'vcp-plugin';
import type { AnyNode, Element } from 'domhandler';
import { selectAll } from 'css-select';
import { describePage } from './describe-page.ts';
import { fetchText } from './fetch-text.ts';
import { jsonValue } from './json-value.ts';
import { mainContent } from './main-content.ts';
import { fetchPage } from './parse-page.ts';
import { plainText } from './plain-text.ts';
import { readLinks, type LinkFilter } from './read-links.ts';
import { readTable } from './read-tables.ts';
import { selectElements } from './select-elements.ts';
import { toMarkdown } from './to-markdown.ts';

type Where = { readonly url: string; readonly selector?: string };

// Values that may be left out stand in the schemas of the manifest with their defaults.
export default plugin({
  Page: ({ url, selector, maxCharacters }: Where & { maxCharacters: number }) => {
    const page = fetchPage(url);
    const nodes = selector === undefined ? mainContent(page.document) : selectElements(selector, page.document);
    const { text, isCut } = toMarkdown(nodes, { base: page.base, maxCharacters });
    return {
      data: { ...page.facts, ...describePage(page), content: text, isCut },
      warnings: isCut ? [cutWarning('content', maxCharacters, 'characters')] : [],
    };
  },

  Links: ({ url, selector, limit, ...filter }: Where & LinkFilter & { limit: number }) => {
    const page = fetchPage(url);
    const anchors = selectElementsIn(page.document, selector, 'a[href], area[href]');
    const links = readLinks(anchors, page.base, filter);
    return {
      data: { ...page.facts, links: links.slice(0, limit), total: links.length },
      warnings: links.length > limit ? [cutWarning('links', limit, 'links')] : [],
    };
  },

  Select: ({ url, selector, attributes = [], limit }: Required<Where> & { attributes?: string[]; limit: number }) => {
    const page = fetchPage(url);
    const found = selectElements(selector, page.document);
    const elements = found.slice(0, limit).map((element) => ({
      tag: element.name,
      text: plainText(element.children),
      attributes: Object.fromEntries(attributes.map((name) => [name, element.attribs[name.toLowerCase()] ?? null])),
    }));
    return {
      data: { ...page.facts, elements, total: found.length },
      warnings: found.length > limit ? [cutWarning('elements', limit, 'elements')] : [],
    };
  },

  Tables: ({ url, selector, maxRows }: Where & { maxRows: number }) => {
    const page = fetchPage(url);
    const found = selectElementsIn(page.document, selector, 'table');
    const tables = found.map(readTable).filter(({ rows, columns }) => rows.length > 0 || columns !== null);
    const warnings = tables.some(({ rows }) => rows.length > maxRows) ? [cutWarning('tables', maxRows, 'rows')] : [];
    return {
      data: {
        ...page.facts,
        tables: tables.map((table) => ({ ...table, rows: table.rows.slice(0, maxRows), rowCount: table.rows.length })),
      },
      warnings,
    };
  },

  Json: ({ url, pointer }: Where & { pointer: string }) => {
    const { text, facts } = fetchText(url, 'application/json,*/*;q=0.1');
    return { data: { ...facts, pointer, value: jsonValue(parseJson(text, facts.finalUrl), pointer) } };
  },
});

/** What a selector names: elements of the wanted kind, or those inside of others. */
function selectElementsIn(
  document: Parameters<typeof selectElements>[1],
  selector: string | undefined,
  wanted: string,
) {
  if (selector === undefined) return selectAll<AnyNode, Element>(wanted, document);
  const roots = selectElements(selector, document);
  return selectAll<AnyNode, Element>(wanted, roots);
}

function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    throw new PluginError('WEB.NOT_JSON', `${url} is not JSON: ${(error as Error).message}`, { target: 'url' });
  }
}

function cutWarning(target: string, limit: number, what: string) {
  return { code: 'WEB.CUT', message: `there is more: only the first ${limit} ${what} are here`, target };
}
