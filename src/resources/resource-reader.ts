import { readAll } from '../lib/bytes.ts';
import type { ResourceStore, StoredBlob } from '../ports/resource-store.ts';
import type { ReadResource, ResourceReader } from '../ports/transport.ts';
import { ResourceId } from '../protocol/ids.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ResourceScope } from './resource-context.ts';
import { UNKNOWN_TYPE } from './media-type.ts';

type Readable = { readonly blob: StoredBlob; readonly mimeType: string; readonly fileName: string | null };

/**
 * Reads for one call. An id that a plugin comes by in any other way than from this call's own writes and arguments
 * reads nothing, though the caller may own what it names: a plugin that remembers ids must not pass them between calls.
 */
export const createResourceReader = ({
  written,
  args,
  find,
  store,
}: Pick<ResourceScope, 'written' | 'find'> & {
  readonly args: JsonObject;
  readonly store: ResourceStore;
}): ResourceReader => {
  let named: ReadonlySet<string> | null = null;

  const lookUp = async (id: string): Promise<Readable | null> => {
    const own = written.get(id);
    if (own !== undefined)
      return { blob: own.blob, mimeType: own.mimeType ?? UNKNOWN_TYPE, fileName: own.fileName ?? null };
    named ??= resourceIdsIn(args);
    const stored = named.has(id) ? await find(id) : null;
    if (stored === null) return null;
    const { sha256, sizeBytes, mimeType, fileName } = stored.descriptor;
    return sha256 === null ? null : { blob: { sha256, sizeBytes: sizeBytes ?? 0 }, mimeType, fileName };
  };

  return {
    read: async (id, { offset, length, maxBytes }) => {
      const found = await lookUp(id);
      if (found === null) return null;
      const { sha256, sizeBytes } = found.blob;
      const start = Math.min(offset, sizeBytes);
      const end = Math.min(sizeBytes, start + (length ?? sizeBytes));
      if (end - start > maxBytes) return 'too-large';
      const describe = (bytes: Uint8Array): ReadResource => ({
        sizeBytes,
        mimeType: found.mimeType,
        fileName: found.fileName,
        bytes,
      });
      if (end === start) return describe(new Uint8Array());
      const stream = await store.get(sha256, { start, end: end - 1 });
      return stream === null ? null : describe(await readAll(stream));
    },
  };
};

/** Ids that stand in a value as texts of their own. */
const resourceIdsIn = (value: JsonValue): ReadonlySet<string> => {
  const ids = new Set<string>();
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string' && ResourceId.safeParse(next).success) ids.add(next);
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) waiting.push(child);
  }
  return ids;
};
