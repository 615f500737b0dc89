import { BlobTooLarge } from '../../src/ports/resource-store.ts';

/**
 * The bytes of a stream in parts of exactly `partBytes`, but for the last, which may be shorter or empty. A stream that
 * turns out to be longer than `maxBytes` is left there, and raises `BlobTooLarge`.
 */
export async function* gatherParts(
  source: ReadableStream<Uint8Array>,
  partBytes: number,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const reader = source.getReader();
  let part = new Uint8Array(partBytes);
  let filled = 0;
  let total = 0;
  let isWhole = false;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      total += next.value.length;
      if (total > maxBytes) throw new BlobTooLarge(maxBytes);
      for (let at = 0; at < next.value.length;) {
        const piece = next.value.subarray(at, at + partBytes - filled);
        part.set(piece, filled);
        filled += piece.length;
        at += piece.length;
        if (filled < partBytes) continue;
        yield part;
        part = new Uint8Array(partBytes);
        filled = 0;
      }
    }
    isWhole = true;
    yield part.subarray(0, filled);
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}
