import { createHash } from 'node:crypto';

const CHUNK_BYTES = 1024 * 1024;

/** Up to `length` bytes from `position`; fewer only at the end of the file. */
export async function readRange(handle, position, length) {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Reads a file from its beginning in pieces. A piece is only good until the next one is asked for. */
export async function* readPieces(handle, { signal } = {}) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
