import { formatBytes } from '../lib/bytes.ts';
import { decodeBase64 } from '../lib/base64.ts';
import { parseDataUri } from '../lib/data-uri.ts';
import type { Failure } from '../lib/failure.ts';
import { giveBack } from '../lib/give-back.ts';
import { pointerToTarget } from '../lib/json-pointer.ts';
import { BlobTooLarge, type LocalFileRefusal, type StoredBlob } from '../ports/resource-store.ts';
import type { DraftLocation, ResourceDraft } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { HEAD_BYTES, type ObtainedBlob } from './describe-blob.ts';
import type { DeclaredTypes } from './media-type.ts';
import { publishDirectory } from './publish-directory.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';

export type BlobOrFailure =
  | { readonly ok: true; readonly obtained: ObtainedBlob; readonly warnings?: readonly Warning[] }
  | { readonly ok: false; readonly failure: Failure };

/** Brings the bytes of a draft into the store, from wherever it says they are. `url` drafts have none. */
export const obtainBlob = async (
  draft: ResourceDraft,
  index: number,
  scope: ResourceScope,
  dependencies: ResourceDependencies,
): Promise<BlobOrFailure> => {
  const at = (location: DraftLocation) => `/resources/${index}/${location}`;
  const found = (blob: StoredBlob, more: DeclaredTypes = {}, head?: Uint8Array): BlobOrFailure => ({
    ok: true,
    obtained: {
      blob,
      declared: { fileName: draft.fileName, plugin: draft.mimeType, ...more },
      ...(head === undefined ? {} : { head }),
    },
  });
  const { store, limits } = dependencies;
  const maxBytes = limits.resourceBytes;

  if (draft.localPath !== undefined) {
    if (draft.kind === 'directory') {
      const packed = await publishDirectory(draft.localPath, draft.fileName, scope, dependencies);
      if (packed !== 'not-a-directory') {
        if (typeof packed === 'string') return refuse(localFailure(packed), at('localPath'), draft.localPath);
        return packed.ok ? packed : refuse(packed.failure, at('localPath'), draft.localPath);
      }
    }
    const baseName = draft.localPath.split('/').at(-1);
    const file = await openLocal(draft.localPath, scope, dependencies);
    if (typeof file === 'string') return refuse(localFailure(file), at('localPath'), draft.localPath);
    try {
      return found(await store.put(file.stream(), { maxBytes }), { fileName: draft.fileName ?? baseName });
    } catch (error) {
      return tooLargeOrThrow(error, at('localPath'));
    } finally {
      await file.close();
    }
  }
  if (draft.dataUri !== undefined || draft.base64 !== undefined) {
    const location = draft.dataUri === undefined ? 'base64' : 'dataUri';
    const text = (draft.dataUri ?? draft.base64) as string;
    // Base64 decodes to three quarters of its length: what cannot fit is refused before it is decoded.
    if (text.length * 0.74 > maxBytes + 1_024 && location === 'base64') return tooLarge(maxBytes, at(location));
    const decoded = location === 'base64' ? decodeBase64(text) : parseDataUri(text);
    if (!decoded.ok) {
      return refuse(
        { code: 'INVALID_TOOL_RESULT', message: `cannot be decoded: ${decoded.reason}` },
        at(location),
        null,
      );
    }
    if (decoded.bytes.length > maxBytes) return tooLarge(maxBytes, at(location));
    const dataUri = 'mimeType' in decoded ? (decoded.mimeType as string | null) : null;
    const head = decoded.bytes.slice(0, HEAD_BYTES);
    const blob = await store.put(decoded.bytes, { maxBytes });
    giveBack(decoded.bytes);
    return found(blob, { dataUri }, head);
  }
  const id = draft.resourceId as string;
  const written = scope.written.get(id);
  if (written !== undefined) {
    return found(written.blob, {
      fileName: draft.fileName ?? written.fileName,
      plugin: draft.mimeType ?? written.mimeType,
    });
  }
  const earlier = await scope.find(id);
  const sha256 = earlier?.descriptor.sha256 ?? null;
  // Its row may expire while this call runs; the bytes stay for the row that the call will have.
  if (earlier === null || sha256 === null || !(await store.keep(sha256))) {
    return refuse({ code: 'FILE_NOT_FOUND', message: 'names a resource that does not exist' }, at('resourceId'), id);
  }
  return found(
    { sha256, sizeBytes: earlier.descriptor.sizeBytes ?? 0 },
    {
      fileName: draft.fileName ?? earlier.descriptor.fileName,
      plugin: draft.mimeType ?? earlier.descriptor.mimeType,
    },
  );
};

const openLocal = async (path: string, scope: ResourceScope, { files }: ResourceDependencies) => {
  const root = files === null ? null : await scope.directory();
  return files === null || root === null ? ('outside-root' as const) : await files.open(root, path);
};

const localFailure = (refusal: LocalFileRefusal): Pick<Failure, 'code' | 'message'> => {
  switch (refusal) {
    case 'not-found':
      return { code: 'FILE_NOT_FOUND', message: 'names a file that is not in context.resourceDir' };
    case 'not-a-file':
      return {
        code: 'FORBIDDEN',
        message: 'names something other than a regular file; a directory needs kind "directory"',
      };
    case 'absolute':
      return { code: 'FORBIDDEN', message: 'must be relative to context.resourceDir, such as "out.png"' };
    case 'not-readable':
      return { code: 'FORBIDDEN', message: 'names a file that the server may not read' };
    case 'outside-root':
      return { code: 'FORBIDDEN', message: 'leads out of the resource directory of this call' };
  }
};

const tooLargeOrThrow = (error: unknown, pointer: string): BlobOrFailure => {
  if (error instanceof BlobTooLarge) return tooLarge(error.maxBytes, pointer);
  throw error;
};

const tooLarge = (maxBytes: number, pointer: string): BlobOrFailure =>
  refuse({ code: 'RESOURCE_TOO_LARGE', message: `is larger than ${formatBytes(maxBytes)}` }, pointer, null);

const refuse = (failure: Pick<Failure, 'code' | 'message'>, pointer: string, given: string | null): BlobOrFailure => ({
  ok: false,
  failure: {
    code: failure.code,
    message: `${pointer} ${failure.message}`,
    target: pointerToTarget(pointer),
    // An absolute path is not repeated: it would tell every reader of the result how the host is laid out.
    details: { pointer, ...(given === null || /^([/\\]|[A-Za-z]:)/.test(given) ? {} : { given: given.slice(0, 256) }) },
  },
});
