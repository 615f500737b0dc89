import { formatBytes } from '../../../lib/bytes.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { inlineCode, text } from '../markdown.ts';
import { renderDescribed } from './described-resources.ts';
import { countLine, findList, firstField, isPlainObject, renderEntries, renderRest, type Lead } from './entries.ts';
import type { Renderer } from './renderer.ts';

const LISTS = ['files', 'entries', 'documents', 'items'];
const NAMES = ['path', 'fileName', 'name', 'file'];

/** Files that were made or found: those that data refers to, or a list with name and size. */
export const fileResult: Renderer = {
  name: 'file-result',
  part: 'data',
  matches: ({ presentation, aiAdvice }) =>
    presentation?.preferredView === 'file-result' || aiAdvice?.renderHint === 'file_link',
  render: (source) => {
    const { result, cuts } = source;
    const found = findList(result.data, LISTS);
    if (found === null || !found.items.every((item) => isName(firstField(item, NAMES)?.value)))
      return renderDescribed(source, () => true);
    const entries = renderEntries(found, cuts, fileLead);
    const rest = isPlainObject(result.data) ? renderRest(result.data, [found.key ?? ''], ['data'], cuts) : [];
    return [countLine(found, cuts), ...entries, ...rest];
  },
};

const isName = (value: unknown): boolean => typeof value === 'string';

/** A name that was cut is shown by the generic rules, which say so. */
const fileLead = (item: JsonObject): Lead => {
  const name = firstField(item, NAMES);
  const size = item['sizeBytes'];
  if (name === null) return { shown: [], line: [] };
  const isSize = typeof size === 'number' && Number.isInteger(size) && size >= 0;
  return {
    shown: [name.key, ...(isSize ? ['sizeBytes'] : [])],
    line: [inlineCode(String(name.value)), ...(isSize ? [text(`, ${formatBytes(size)}`)] : [])],
  };
};
