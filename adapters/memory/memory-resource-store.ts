import { sha256Of } from '../../src/lib/sha256.ts';
import { BlobTooLarge, type ResourceStore } from '../../src/ports/resource-store.ts';

type KeptBlob = { readonly bytes: Uint8Array<ArrayBuffer>; readonly touchedAt: number };

/** Keeps blobs in this process. Runs wherever the Web APIs do. */
export const createMemoryResourceStore = (now: () => number = Date.now): ResourceStore => {
  const blobs = new Map<string, KeptBlob>();
  return {
    put: async (source, { maxBytes }) => {
      const bytes = await collect(source, maxBytes);
      const sha256 = await sha256Of(bytes);
      blobs.set(sha256, { bytes: blobs.get(sha256)?.bytes ?? bytes, touchedAt: now() });
      return { sha256, sizeBytes: bytes.length };
    },
    get: async (sha256, range) => {
      const bytes = blobs.get(sha256)?.bytes;
      if (bytes === undefined) return null;
      const part = range === undefined ? bytes : bytes.slice(range.start, range.end + 1);
      return new Blob([part]).stream();
    },
    stat: async (sha256) => {
      const bytes = blobs.get(sha256)?.bytes;
      return bytes === undefined ? null : { sha256, sizeBytes: bytes.length };
    },
    keep: async (sha256) => {
      const kept = blobs.get(sha256);
      if (kept !== undefined) blobs.set(sha256, { ...kept, touchedAt: now() });
      return kept !== undefined;
    },
    list: async function* () {
      for (const [sha256, { bytes, touchedAt }] of blobs) yield { sha256, sizeBytes: bytes.length, touchedAt };
    },
    collect: async (sha256, touchedBefore) => {
      const kept = blobs.get(sha256);
      return kept !== undefined && kept.touchedAt < touchedBefore && blobs.delete(sha256);
    },
  };
};

const collect = async (
  source: Uint8Array | ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  if (source instanceof Uint8Array) {
    if (source.length > maxBytes) throw new BlobTooLarge(maxBytes);
    return new Uint8Array(source);
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = source.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new BlobTooLarge(maxBytes);
    }
    pieces.push(new Uint8Array(next.value));
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
};
