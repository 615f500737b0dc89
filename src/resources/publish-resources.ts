import { imageDimensionsFromData } from 'image-dimensions';
import { readAll } from '../lib/bytes.ts';
import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { Issue } from '../lib/issue.ts';
import { resolveJsonPointer } from '../lib/json-pointer.ts';
import type { AiAdvice } from '../protocol/ai-advice.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { Presentation } from '../protocol/presentation.ts';
import type { ResourceDescriptor, ResourceDraft, ResourceKind } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { decideMediaType, kindOfMediaType, UNKNOWN_TYPE } from './media-type.ts';
import { obtainBlob } from './obtain-blob.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';
import { danglingAt, rewriteReferences } from './rewrite-references.ts';

/** A payload whose resources have become descriptors and whose references point at them. */
export type PublishedPayload = {
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly presentation: Presentation | null;
  readonly aiAdvice: AiAdvice | null;
  readonly warnings: readonly Warning[];
};

export type Publication =
  | { readonly ok: true; readonly published: PublishedPayload }
  | { readonly ok: false; readonly failure: Failure };

/** Bytes that are looked at for type and dimensions. */
const HEAD_BYTES = 64 * 1024;

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
  let totalBytes = 0;
  for (const [index, draft] of drafts.entries()) {
    const published = await publishDraft(draft, index, scope, dependencies);
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
  return rewritePayload(payload, command, descriptors, warnings, publishedIds, limits.reportedIssues);
};

type PublishedDraft =
  | { readonly ok: true; readonly descriptor: ResourceDescriptor; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly failure: Failure };

const publishDraft = async (
  draft: ResourceDraft,
  index: number,
  scope: ResourceScope,
  dependencies: ResourceDependencies,
): Promise<PublishedDraft> => {
  if (draft.url !== undefined) return externalResource(draft, index, dependencies);
  const found = await obtainBlob(draft, index, scope, dependencies);
  if (!found.ok) return found;
  const { blob, dataUriType, pluginType } = found.obtained;
  const stream = await dependencies.store.get(blob.sha256, { start: 0, end: HEAD_BYTES - 1 });
  const head = stream === null ? new Uint8Array() : await readAll(stream);
  const decided = await decideMediaType(head, {
    dataUri: dataUriType,
    fileName: found.obtained.fileName,
    plugin: pluginType,
  });
  const kind = kindOf(draft.kind, decided.mimeType);
  const id = dependencies.ids.next('resource');
  const fileName = usableFileName(found.obtained.fileName) ?? defaultFileName(draft.id, decided.mimeType);
  return {
    ok: true,
    descriptor: {
      id,
      kind,
      role: draft.role,
      mimeType: decided.mimeType,
      fileName,
      sizeBytes: blob.sizeBytes,
      sha256: blob.sha256,
      url: dependencies.urlOf(id, fileName),
      access: { type: 'managed', expiresAt: null, requiresAuth: true },
      source: draft.source ?? { type: 'generated', provider: null },
      dimensions: (kind === 'image' ? dimensionsOf(head) : null) ?? draft.dimensions ?? null,
      durationMs: draft.durationMs ?? null,
      metadata: draft.metadata ?? {},
    },
    warnings: decided.contradicted === null ? [] : [mimeMismatch(index, decided.contradicted, decided.mimeType)],
  };
};

/** An external URL is described, never fetched (§7.6); credentials in it are not passed on. */
const externalResource = (draft: ResourceDraft, index: number, dependencies: ResourceDependencies): PublishedDraft => {
  const pointer = `/resources/${index}/url`;
  const url = URL.parse(draft.url as string);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return {
      ok: false,
      failure: {
        code: 'INVALID_TOOL_RESULT',
        message: `${pointer} must be an absolute http or https URL`,
        target: `resources.${index}.url`,
        details: { pointer },
      },
    };
  }
  url.username = '';
  url.password = '';
  const id = dependencies.ids.next('resource');
  const lastStep = decodeSafely(url.pathname.split('/').at(-1) ?? '');
  const mimeType = draft.mimeType ?? UNKNOWN_TYPE;
  return {
    ok: true,
    descriptor: {
      id,
      kind: draft.kind ?? kindOfMediaType(mimeType),
      role: draft.role,
      mimeType,
      fileName: draft.fileName ?? usableFileName(lastStep) ?? defaultFileName(draft.id, mimeType),
      sizeBytes: null,
      sha256: null,
      url: url.href,
      access: { type: 'external', expiresAt: null, requiresAuth: false },
      source: draft.source ?? { type: 'external', provider: url.hostname },
      dimensions: draft.dimensions ?? null,
      durationMs: draft.durationMs ?? null,
      metadata: draft.metadata ?? {},
    },
    warnings: [],
  };
};

const rewritePayload = (
  payload: PluginResultPayload,
  command: InvocationCommand,
  resources: readonly ResourceDescriptor[],
  warnings: readonly Warning[],
  publishedIds: ReadonlyMap<string, string>,
  reportedIssues: number,
): Publication => {
  const data = rewriteReferences(payload.data, publishedIds, ['data']);
  if (!data.ok) return invalid([data.issue], reportedIssues);

  const issues: Issue[] = [];
  const idOf = (local: string, path: readonly PropertyKey[]): string => {
    const published = publishedIds.get(local);
    if (published === undefined) issues.push(danglingAt(local, path));
    return published ?? local;
  };
  const { presentation, aiAdvice } = withDefaults(payload, command, publishedIds);
  const primary = presentation?.primaryResourceId ?? null;
  const published: PublishedPayload = {
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

/** The manifest's hints stand in where a result that came to something has none of its own. */
const withDefaults = (
  payload: PluginResultPayload,
  command: InvocationCommand,
  publishedIds: ReadonlyMap<string, string>,
): Pick<PublishedPayload, 'presentation' | 'aiAdvice'> => {
  const { presentation, aiAdvice } = payload;
  if (payload.status === 'error' || payload.status === 'cancelled') return { presentation, aiAdvice };
  const usual = command.aiAdvice ?? null;
  return {
    presentation: presentation ?? command.presentation ?? null,
    aiAdvice: aiAdvice ?? (usual && { ...usual, resourceIds: usual.resourceIds.filter((id) => publishedIds.has(id)) }),
  };
};

/** §15: where the manifest says that a resource stands, one of that kind and role stands, or nothing does. */
const misplacedOutputs = (
  data: JsonValue,
  command: InvocationCommand,
  resources: readonly ResourceDescriptor[],
): Issue[] =>
  (command.resourceOutputs ?? []).flatMap((output): Issue[] => {
    const pointer = `/data${output.field}`;
    const value = resolveJsonPointer(data, output.field);
    if (value === undefined || value === null) return [];
    const id = (value as { $resource?: unknown }).$resource;
    const resource = resources.find((candidate) => candidate.id === id);
    if (resource === undefined)
      return [{ pointer, message: 'must be a resource reference, as resourceOutputs declares' }];
    if (output.kind !== undefined && resource.kind !== output.kind) {
      return [{ pointer, message: `must be a resource of kind "${output.kind}", not "${resource.kind}"` }];
    }
    if (output.role !== undefined && resource.role !== output.role) {
      return [{ pointer, message: `must be a resource with role "${output.role}", not "${resource.role}"` }];
    }
    return [];
  });

/** A declared kind stands unless the bytes show a picture, a sound or a film where another was claimed. */
const kindOf = (declared: ResourceKind | undefined, mimeType: string): ResourceKind => {
  const shown = kindOfMediaType(mimeType);
  if (declared === undefined) return shown;
  const visible = new Set(['image', 'audio', 'video']);
  return declared !== shown && (visible.has(declared) || visible.has(shown)) ? shown : declared;
};

const dimensionsOf = (head: Uint8Array): ResourceDescriptor['dimensions'] => {
  const found = imageDimensionsFromData(head);
  return found === undefined || found.width === 0 || found.height === 0
    ? null
    : { width: found.width, height: found.height };
};

/** A name as a descriptor may carry it: no separators, no control characters, nothing that means a directory. */
const usableFileName = (name: string | undefined): string | undefined => {
  const plain = name
    ?.replaceAll(/[/\\\p{Cc}]/gu, '')
    .slice(0, 300)
    .toWellFormed();
  return plain === undefined || /^\.{0,2}$/.test(plain) ? undefined : plain;
};

const defaultFileName = (localId: string, mimeType: string): string => {
  const stem =
    localId
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(0, 80)
      .toWellFormed() || 'resource';
  const extension = /\/(?:x-|vnd\.)?([a-z0-9]{2,5})(?:\+|$)/.exec(mimeType)?.[1];
  return extension === undefined || stem.includes('.') ? stem : `${stem}.${extension}`;
};

const decodeSafely = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

const mimeMismatch = (index: number, declared: string, actual: string): Warning => ({
  code: 'MIME_MISMATCH',
  message: `the resource was declared as ${declared}, but its bytes are ${actual}`,
  target: `resources.${index}.mimeType`,
  details: { declared, actual },
});

const invalid = (issues: readonly Issue[], reportedIssues: number): Publication => ({
  ok: false,
  failure: failureOfIssues(
    'INVALID_TOOL_RESULT',
    'the resources of the result are not consistent',
    issues,
    reportedIssues,
  ),
});
