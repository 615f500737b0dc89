import { toHex } from '../../src/lib/to-hex.ts';
import { BlobTooLarge, type ResourceStore } from '../../src/ports/resource-store.ts';

/** Keeps blobs in this process. Runs wherever the Web APIs do. */
export const createMemoryResourceStore = (): ResourceStore => {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    put: async (source, { maxBytes }) => {
      const bytes = await collect(source, maxBytes);
      const sha256 = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
      if (!blobs.has(sha256)) blobs.set(sha256, bytes);
      return { sha256, sizeBytes: bytes.length };
    },
    get: async (sha256, range) => {
      const bytes = blobs.get(sha256);
      if (bytes === undefined) return null;
      const part = range === undefined ? bytes : bytes.slice(range.start, range.end + 1);
      return new Blob([part]).stream();
    },
    stat: async (sha256) => {
      const bytes = blobs.get(sha256);
      return bytes === undefined ? null : { sha256, sizeBytes: bytes.length };
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
