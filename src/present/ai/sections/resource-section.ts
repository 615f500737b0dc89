import { toJsonPointer } from '../../../lib/json-pointer.ts';
import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import type { ResourceDescriptor } from '../../../protocol/resource.ts';
import { heading, inlineCode, linkOrText, list, paragraph, text, type BlockContent } from '../markdown.ts';
import { resourceFacts } from '../renderers/described-resources.ts';
import type { Sampler, Section } from './section.ts';

/** A resource, and where it stands in the result. */
export type Placed = { readonly resource: ResourceDescriptor; readonly index: number };

/** What was made on the way and what was logged is not for a model; it is named among what was left out. */
const NOT_FOR_MODELS: ReadonlySet<string> = new Set(['intermediate', 'log']);

/** The resources that a model may be shown: the primary first, then those that the advice names, then in their order. */
export const orderedResources = (result: CanonicalToolResult): readonly Placed[] => {
  const first = [result.presentation?.primaryResourceId, ...(result.aiAdvice?.resourceIds ?? [])];
  const rank = ({ resource }: Placed) => {
    const index = first.indexOf(resource.id);
    return index === -1 ? first.length : index;
  };
  return result.resources
    .map((resource, index) => ({ resource, index }))
    .filter(({ resource }) => !NOT_FOR_MODELS.has(resource.role))
    .toSorted((a, b) => rank(a) - rank(b) || a.index - b.index);
};

/** The list of resources. With `isShort`, without their addresses, which are then stated as left out. */
export const resourceSection = (listed: readonly Placed[], isShort: boolean, sampler: Sampler): Section =>
  sampler.section(
    listed.length === 0
      ? []
      : [heading('Resources'), list(listed.map((placed) => [resourceLine(placed, isShort, sampler)]))],
  );

const resourceLine = ({ resource, index }: Placed, isShort: boolean, { censor, omissions }: Sampler): BlockContent => {
  const at = (field: string): PropertyKey[] => ['resources', index, field];
  const fileName = censor.text(resource.fileName, at('fileName'));
  const provider = resource.source.provider;
  const from = provider ? `, from ${censor.text(provider, [...at('source'), 'provider'])}` : '';
  const named = [inlineCode(resource.id), text(` ${fileName} (${resourceFacts(resource)}${from})`)];
  if (isShort) {
    const originalCount = resource.url.length;
    omissions.push({ pointer: toJsonPointer(at('url')), unit: 'characters', originalCount, keptCount: 0 });
    return paragraph(...named);
  }
  return paragraph(...named, text(': '), linkOrText(shownUrl(resource, fileName, at('url'), censor)));
};

/** A URL of ours ends with the file's name, which may be what must not be shown; the resource is there without it. */
const shownUrl = (
  { url, access, fileName }: ResourceDescriptor,
  shownName: string,
  path: readonly PropertyKey[],
  censor: Sampler['censor'],
): string => {
  if (access.type === 'external') return censor.text(url, path);
  return shownName === fileName ? url : url.replace(`/${encodeURIComponent(fileName)}`, '');
};
