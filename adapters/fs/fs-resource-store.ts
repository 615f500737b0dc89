import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobTooLarge, type ResourceStore, type StoredBlob } from '../../src/ports/resource-store.ts';
import { removeAbandoned } from './remove-abandoned.ts';

/**
 * Blobs as files named by their SHA-256. A blob is written beside its place, forced to the disk and moved there, so
 * it appears whole or not at all; the same bytes are kept once.
 */
export const createFsResourceStore = async (root: string): Promise<ResourceStore> => {
  const incoming = join(root, 'incoming');
  await removeAbandoned(incoming);

  const pathOf = (sha256: string) => join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);

  return {
    put: async (source, { maxBytes }) => {
      const temporary = join(incoming, randomUUID());
      try {
        const blob = await writeWhole(temporary, source, maxBytes);
        const path = pathOf(blob.sha256);
        if ((await sizeOf(path)) !== null) return blob;
        await mkdir(dirname(path), { recursive: true });
        await rename(temporary, path);
        return blob;
      } finally {
        await rm(temporary, { force: true });
      }
    },
    get: async (sha256, range) => {
      const path = pathOf(checked(sha256));
      const size = await sizeOf(path);
      if (size === null) return null;
      if (range !== undefined && range.start >= size)
        return new Response(new Uint8Array()).body as ReadableStream<Uint8Array>;
      const stream = createReadStream(path, range === undefined ? {} : { start: range.start, end: range.end });
      return Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;
    },
    stat: async (sha256) => {
      const sizeBytes = await sizeOf(pathOf(checked(sha256)));
      return sizeBytes === null ? null : { sha256, sizeBytes };
    },
  };
};

const writeWhole = async (
  path: string,
  source: Uint8Array | ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<StoredBlob> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of source instanceof Uint8Array ? [source] : source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new BlobTooLarge(maxBytes);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
};

const sizeOf = async (path: string): Promise<number | null> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** A hash becomes a path; nothing else may. */
const checked = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('not a SHA-256 in hexadecimal');
  return sha256;
};
