import type { Failure } from '../lib/failure.ts';
import type { PluginError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { ResourceDraft } from '../protocol/resource.ts';
import type { InlineField } from './extract-inline.ts';
import { createMirror } from './mirror-resource.ts';
import { publishDrafts } from './publish-drafts.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';
import { rewritePayload, type RewrittenPayload } from './rewrite-payload.ts';
import { takeInline } from './take-inline.ts';

/** A payload whose resources have become descriptors and whose references point at them. */
export type PublishedPayload = RewrittenPayload & {
  readonly extensions: JsonObject;
  readonly error: PluginError | null;
  /** Fields of `data` that were files as text, with that text. */
  readonly inline: readonly InlineField[];
  /** Resources whose bytes came within the payload, as Base64 or data URI. */
  readonly embedded: number;
};

export type Publication =
  | { readonly ok: true; readonly published: PublishedPayload }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Stores what the drafts of a payload hold, decides each media type by its bytes, and replaces the plugin's local ids
 * by `res_` ids wherever they stand (§7). One draft that cannot be published fails the result, with its pointer.
 */
export const publishResources = async (
  payload: PluginResultPayload,
  command: InvocationCommand,
  scope: ResourceScope,
  dependencies: ResourceDependencies,
): Promise<Publication> => {
  const { limits } = dependencies;
  const { resources: drafts } = payload;
  const mirror = command.mirror ? createMirror(dependencies, scope.signal) : null;
  const stored = await publishDrafts(drafts, scope, dependencies, mirror);
  if (!stored.ok) return stored;
  const { warnings, bytes } = stored;
  const descriptors = [...stored.descriptors.values()];
  const publishedIds = new Map([...stored.descriptors].map(([local, { id }]) => [local, id]));
  const taken = await takeInline(payload, command, { count: descriptors.length, bytes }, dependencies);
  for (const { id } of taken.descriptors) publishedIds.set(id, id);
  const resources = [...descriptors, ...taken.descriptors];
  const rewritten = rewritePayload({
    payload,
    data: taken.data,
    command,
    resources,
    warnings: [...warnings, ...taken.warnings],
    publishedIds,
    reportedIssues: limits.reportedIssues,
  });
  if (!rewritten.ok) return rewritten;
  const { error, extensions, inline } = taken;
  const embedded = drafts.filter(isEmbedded).length + taken.descriptors.length;
  return { ok: true, published: { ...rewritten.published, error, extensions, inline, embedded } };
};

/** Whether the bytes of a draft came within the payload. */
const isEmbedded = ({ base64, dataUri }: ResourceDraft): boolean => base64 !== undefined || dataUri !== undefined;
