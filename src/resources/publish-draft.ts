import { imageDimensionsFromData } from 'image-dimensions';
import { readAll } from '../lib/bytes.ts';
import type { Failure } from '../lib/failure.ts';
import type { ResourceDescriptor, ResourceDraft, ResourceKind } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { decideMediaType, kindOfMediaType, UNKNOWN_TYPE } from './media-type.ts';
import { obtainBlob } from './obtain-blob.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';
import { defaultFileName, usableFileName } from './resource-file-name.ts';

/** Bytes that are looked at for type and dimensions. */
const HEAD_BYTES = 64 * 1024;

export type PublishedDraft =
  | { readonly ok: true; readonly descriptor: ResourceDescriptor; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly failure: Failure };

/** Stores what one draft holds and describes it by its bytes (§7.1); `index` is its place, for pointers. */
export const publishDraft = async (
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
