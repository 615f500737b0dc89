import { imageDimensionsFromData } from 'image-dimensions';
import { readAll } from '../lib/bytes.ts';
import { charsetOf, hasCharset } from '../lib/charset.ts';
import { pointerToTarget } from '../lib/json-pointer.ts';
import type { StoredBlob } from '../ports/resource-store.ts';
import type { ResourceDescriptor, ResourceDraft, ResourceKind } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { decideMediaType, kindOfMediaType, type DeclaredTypes } from './media-type.ts';
import type { ResourceDependencies } from './resource-context.ts';
import { defaultFileName, usableFileName } from './resource-file-name.ts';

/** Bytes that are looked at for type and dimensions. */
export const HEAD_BYTES = 64 * 1024;

/** Stored bytes, with what their place of origin said about them. */
export type ObtainedBlob = {
  readonly blob: StoredBlob;
  readonly declared: DeclaredTypes;
  /** The bytes from the first on, at least 64 KiB or all, where somebody still has them. */
  readonly head?: Uint8Array;
};

/** What a draft may say of its resource, beside where its bytes are. */
export type DescribedDraft = Pick<
  ResourceDraft,
  'id' | 'kind' | 'role' | 'source' | 'dimensions' | 'durationMs' | 'metadata'
>;

/** Describes stored bytes by themselves (§7.1); a warning says where the draft at `pointer` said otherwise. */
export const describeBlob = async (
  { blob, declared, head }: ObtainedBlob,
  draft: DescribedDraft,
  pointer: string,
  dependencies: Pick<ResourceDependencies, 'store' | 'ids' | 'urlOf'>,
): Promise<{ readonly descriptor: ResourceDescriptor; readonly warnings: readonly Warning[] }> => {
  const { store } = dependencies;
  const first = head?.subarray(0, HEAD_BYTES) ?? (await headOf(blob, dependencies));
  const decided = await decideMediaType(first, declared);
  const { mimeType } = decided;
  const kind = kindOf(decided.contradicted === null ? draft.kind : undefined, mimeType);
  const id = dependencies.ids.next('resource');
  const fileName = usableFileName(declared.fileName) ?? defaultFileName(draft.id, mimeType);
  return {
    descriptor: {
      id,
      kind,
      role: draft.role,
      mimeType,
      fileName,
      sizeBytes: blob.sizeBytes,
      sha256: blob.sha256,
      url: dependencies.urlOf(id, fileName),
      access: { type: 'managed', expiresAt: null, requiresAuth: true },
      source: draft.source ?? { type: 'generated', provider: null },
      dimensions: (kind === 'image' ? dimensionsOf(first) : null) ?? draft.dimensions ?? null,
      durationMs: (isPlayed(mimeType) ? await durationOf(blob, mimeType, store) : null) ?? draft.durationMs ?? null,
      metadata: { ...charsetIn(mimeType, declared), ...draft.metadata },
    },
    warnings: decided.contradicted === null ? [] : [mimeMismatch(pointer, decided.contradicted, mimeType)],
  };
};

const headOf = async (blob: StoredBlob, { store }: Pick<ResourceDependencies, 'store'>): Promise<Uint8Array> => {
  const stream = await store.get(blob.sha256, { start: 0, end: HEAD_BYTES - 1 });
  return stream === null ? new Uint8Array() : await readAll(stream);
};

/** A declared kind stands with its type, unless the bytes show a picture, a sound or a film where another was claimed. */
const kindOf = (declared: ResourceKind | undefined, mimeType: string): ResourceKind => {
  const shown = kindOfMediaType(mimeType);
  if (declared === undefined) return shown;
  return declared !== shown && (VISIBLE.has(declared) || VISIBLE.has(shown)) ? shown : declared;
};

const VISIBLE: ReadonlySet<ResourceKind> = new Set(['image', 'audio', 'video']);

const dimensionsOf = (head: Uint8Array): ResourceDescriptor['dimensions'] => {
  const found = imageDimensionsFromData(head);
  return found === undefined || found.width === 0 || found.height === 0
    ? null
    : { width: found.width, height: found.height };
};

/** In which encoding a text is, its bytes do not tell: whoever brought it may have said so. UTF-8 need not be said. */
const charsetIn = (mimeType: string, { http, plugin }: DeclaredTypes): { readonly charset?: string } => {
  const charset = hasCharset(mimeType) ? charsetOf(http ?? plugin ?? '') : null;
  return charset === null || charset === 'utf-8' ? {} : { charset };
};

const isPlayed = (mimeType: string): boolean => /^(?:audio|video)\//.test(mimeType);

const durationOf = async (blob: StoredBlob, mimeType: string, store: ResourceDependencies['store']) => {
  const { readDuration } = await import('./read-duration.ts');
  return await readDuration(blob, mimeType, store);
};

const mimeMismatch = (pointer: string, declared: string, actual: string): Warning => ({
  code: 'MIME_MISMATCH',
  message: `the resource was declared as ${declared}, but its bytes are ${actual}`,
  target: pointerToTarget(pointer),
  details: { declared, actual },
});
