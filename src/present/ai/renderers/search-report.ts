import { toJsonPointer } from '../../../lib/json-pointer.ts';
import { linkTo, text } from '../markdown.ts';
import { countLine, findList, firstField, isPlainObject, joined, renderEntries, renderRest } from './entries.ts';
import type { Renderer } from './renderer.ts';

const LISTS = ['results', 'hits', 'matches', 'pages', 'documents', 'items'];
const TITLES = ['title', 'name', 'headline'];
const ADDRESSES = ['url', 'link', 'href', 'uri'];
const EXCERPTS = ['snippet', 'summary', 'excerpt', 'abstract', 'description', 'content', 'text'];

/** What a search found: the query and the like first, then each hit with its title, address and excerpt. */
export const searchReport: Renderer = {
  name: 'search-report',
  part: 'data',
  matches: ({ presentation }) => presentation?.preferredView === 'search-report',
  render: ({ result: { data }, cuts }) => {
    const found = findList(data, LISTS);
    if (found === null || !found.items.every((item) => firstField(item, TITLES) ?? firstField(item, ADDRESSES)))
      return null;
    const entries = renderEntries(found, cuts, (item, path) => {
      const title = firstField(item, TITLES);
      const address = firstField(item, ADDRESSES);
      const excerpt = firstField(item, EXCERPTS);
      const isWhole = ![title, address].some((field) => field && cuts.has(toJsonPointer([...path, field.key])));
      const link = isWhole && title && address ? linkTo(String(address.value), String(title.value)) : null;
      if (link === null) return joined([title, address, excerpt], path, cuts);
      const { shown, line } = joined([excerpt], path, cuts);
      const keys = [title?.key, address?.key].filter((key) => key !== undefined);
      return { shown: [...keys, ...shown], line: [link, ...(line.length === 0 ? [] : [text(' — '), ...line])] };
    });
    const before = isPlainObject(data) ? renderRest(data, [found.key ?? ''], ['data'], cuts) : [];
    return [...before, countLine(found, cuts), ...entries];
  },
};
