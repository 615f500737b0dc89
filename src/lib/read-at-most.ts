import { joinBytes } from './bytes.ts';

/** The whole of a stream in memory, or null when it is longer; the rest of it is not read then. */
export const readAtMost = async (
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    // Leaving the loop cancels the stream.
    if (bytes > maxBytes) return null;
    pieces.push(piece);
  }
  return joinBytes(pieces);
};
