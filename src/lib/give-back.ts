/** Bytes from which it is worth it. */
const LARGE_BYTES = 16 * 1024;

/**
 * Frees the memory of bytes that nobody will read again, where they are the whole of it; they have a length of 0 then. The
 * collector sees only that much was taken, and goes through the whole heap for it, which costs more than a large frame.
 */
export const giveBack = (bytes: Uint8Array): void => {
  const { buffer } = bytes;
  if (bytes.length < LARGE_BYTES || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  // Node 20 and older engines leave it to the collector.
  (buffer as { transfer?: (length: number) => ArrayBuffer }).transfer?.(0);
};
