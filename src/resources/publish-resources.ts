import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { Issue } from '../lib/issue.ts';
import type { AiAdvice } from '../protocol/ai-advice.ts';
import type { PluginError } from '../protocol/error.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { Presentation } from '../protocol/presentation.ts';
import type { ResourceDescriptor, ResourceDraft } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import type { InlineField } from './extract-inline.ts';
import { createMirror } from './mirror-resource.ts';
import { misplacedOutputs } from './misplaced-outputs.ts';
import { publishDraft } from './publish-draft.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';
import { danglingAt, rewriteReferences } from './rewrite-references.ts';
import { takeInline } from './take-inline.ts';

/** A payload whose resources have become descriptors and whose references point at them. */
export type PublishedPayload = {
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly presentation: Presentation | null;
  readonly aiAdvice: AiAdvice | null;
  readonly extensions: JsonObject;
  readonly error: PluginError | null;
  readonly warnings: readonly Warning[];
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
  if (drafts.length > limits.resourcesPerResult) {
    return invalid(
      [{ pointer: '/resources', message: `has more than ${limits.resourcesPerResult} resources` }],
      limits.reportedIssues,
    );
  }
  const doubled = drafts.findIndex((draft, index) => drafts.findIndex((other) => other.id === draft.id) < index);
  if (doubled !== -1)
    return invalid(
      [{ pointer: `/resources/${doubled}/id`, message: 'is used by an earlier resource' }],
      limits.reportedIssues,
    );

  const descriptors: ResourceDescriptor[] = [];
  const warnings: Warning[] = [];
  const publishedIds = new Map<string, string>();
  const mirror = command.mirror ? createMirror(dependencies, scope.signal) : null;
  let totalBytes = 0;
  for (const [index, draft] of drafts.entries()) {
    const published = await publishDraft(
      draft,
      index,
      scope,
      dependencies,
      mirror,
      limits.resourceBytesPerResult - totalBytes,
    );
    if (!published.ok) return published;
    totalBytes += published.descriptor.sizeBytes ?? 0;
    if (totalBytes > limits.resourceBytesPerResult) {
      return {
        ok: false,
        failure: {
          code: 'RESOURCE_TOO_LARGE',
          message: `the resources of one result exceed ${limits.resourceBytesPerResult} bytes together`,
          target: 'resources',
          details: { pointer: '/resources' },
        },
      };
    }
    descriptors.push(published.descriptor);
    warnings.push(...published.warnings);
    publishedIds.set(draft.id, published.descriptor.id);
  }
  const taken = await takeInline(payload, command, { count: descriptors.length, bytes: totalBytes }, dependencies);
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

type Rewritten = Omit<PublishedPayload, 'extensions' | 'error' | 'inline' | 'embedded'>;

type Rewriting = {
  readonly payload: PluginResultPayload;
  readonly command: InvocationCommand;
  /** The payload's data, without the files that stood in it. */
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly warnings: readonly Warning[];
  readonly publishedIds: ReadonlyMap<string, string>;
  readonly reportedIssues: number;
};

const rewritePayload = ({
  payload,
  command,
  data: given,
  resources,
  warnings,
  publishedIds,
  reportedIssues,
}: Rewriting): { readonly ok: true; readonly published: Rewritten } | Extract<Publication, { ok: false }> => {
  const data = rewriteReferences(given, publishedIds, ['data']);
  if (!data.ok) return invalid([data.issue], reportedIssues);

  const issues: Issue[] = [];
  const idOf = (local: string, path: readonly PropertyKey[]): string => {
    const published = publishedIds.get(local);
    if (published === undefined) issues.push(danglingAt(local, path));
    return published ?? local;
  };
  const { presentation, aiAdvice } = withDefaults(payload, command, publishedIds);
  const primary = presentation?.primaryResourceId ?? null;
  const published: Rewritten = {
    data: data.value,
    resources,
    warnings,
    presentation:
      presentation === null || primary === null
        ? presentation
        : { ...presentation, primaryResourceId: idOf(primary, ['presentation', 'primaryResourceId']) },
    aiAdvice:
      aiAdvice === null || aiAdvice.resourceIds.length === 0
        ? aiAdvice
        : {
            ...aiAdvice,
            resourceIds: aiAdvice.resourceIds.map((id, index) => idOf(id, ['aiAdvice', 'resourceIds', index])),
          },
  };
  if (payload.status === 'success' || payload.status === 'partial') {
    issues.push(...misplacedOutputs(data.value, command, resources));
  }
  return issues.length > 0 ? invalid(issues, reportedIssues) : { ok: true, published };
};

/** The manifest's hints stand in where a result that came to something has none; without resources it does not have. */
const withDefaults = (
  payload: PluginResultPayload,
  command: InvocationCommand,
  publishedIds: ReadonlyMap<string, string>,
): Pick<PublishedPayload, 'presentation' | 'aiAdvice'> => {
  const { presentation, aiAdvice } = payload;
  if (payload.status === 'error' || payload.status === 'cancelled') return { presentation, aiAdvice };
  const usual = command.aiAdvice ?? null;
  const usualView = command.presentation ?? null;
  const usualPrimary = usualView?.primaryResourceId ?? null;
  return {
    presentation:
      presentation ??
      (usualView && {
        ...usualView,
        primaryResourceId: usualPrimary !== null && publishedIds.has(usualPrimary) ? usualPrimary : null,
      }),
    aiAdvice: aiAdvice ?? (usual && { ...usual, resourceIds: usual.resourceIds.filter((id) => publishedIds.has(id)) }),
  };
};

const invalid = (issues: readonly Issue[], reportedIssues: number): Extract<Publication, { ok: false }> => ({
  ok: false,
  failure: failureOfIssues(
    'INVALID_TOOL_RESULT',
    'the resources of the result are not consistent',
    issues,
    reportedIssues,
  ),
});
