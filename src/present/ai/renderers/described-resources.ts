import { formatBytes } from '../../../lib/bytes.ts';
import { formatDuration } from '../../../lib/duration.ts';
import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ResourceDescriptor, ResourceKind } from '../../../protocol/resource.ts';
import { inlineCode, list, paragraph, strong, text, type BlockContent } from '../markdown.ts';
import { isPlainObject, renderRest } from './entries.ts';
import { isReference } from './render-value.ts';
import type { RenderSource } from './renderer.ts';

/** Type, size, dimensions and length of a resource, as far as they are known. */
export const resourceFacts = (resource: ResourceDescriptor): string =>
  [
    resource.mimeType.replace(/\s*;.*$/s, ''),
    resource.sizeBytes === null ? null : formatBytes(resource.sizeBytes),
    resource.dimensions === null ? null : `${resource.dimensions.width} × ${resource.dimensions.height}`,
    resource.durationMs === null ? null : formatDuration(resource.durationMs),
  ]
    .filter((fact) => fact !== null)
    .join(', ');

/** Whether a result has a resource of such a kind. */
export const hasResource = ({ resources }: CanonicalToolResult, isMeant: (kind: ResourceKind) => boolean): boolean =>
  resources.some(({ kind }) => isMeant(kind));

/**
 * Data that is about resources: what its fields refer to is described in place, and the other fields follow. Null when
 * no field refers to a resource of the kind that is meant.
 */
export const renderDescribed = (
  { result, cuts }: RenderSource,
  isMeant: (kind: ResourceKind) => boolean,
): BlockContent[] | null => {
  const { data, resources } = result;
  if (!isPlainObject(data)) return null;
  const described = Object.keys(data).flatMap((key) => {
    const value = data[key];
    const resource = isReference(value) ? resources.find(({ id }) => id === value.$resource) : undefined;
    return resource !== undefined && isMeant(resource.kind) ? [{ key, resource }] : [];
  });
  if (described.length === 0) return null;
  const items = described.map(({ key, resource }) => [
    paragraph(strong(key), text(': '), inlineCode(resource.id), text(` (${resourceFacts(resource)})`)),
  ]);
  const shown = described.map(({ key }) => key);
  const rest = renderRest(data as JsonObject, shown, ['data'], cuts);
  return [list(items), ...(rest.length === 0 ? [] : [paragraph(text('With:')), ...rest])];
};
