import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, opendir, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobTooLarge, type ListedBlob, type ResourceStore, type StoredBlob } from '../../src/ports/resource-store.ts';
import { ifThere } from './if-there.ts';
import { readFileStream } from './read-file-stream.ts';
import { readPieces } from './read-pieces.ts';
import { removeAbandoned } from './remove-abandoned.ts';

/**
 * Blobs as files named by their SHA-256. A blob is written beside its place, forced to the disk and moved there, so it
 * appears whole or not at all; the same bytes are kept once, and each time that they are put the newest file takes the
 * place. How old a blob is, its file's time of change tells.
 *
 * One is collected by moving it aside, looking at its age once more, and removing it or putting it back: between a look
 * and a removal in place, another process could put the same bytes, and would lose them. Readers find it aside too.
 */
export const createFsResourceStore = async (root: string): Promise<ResourceStore> => {
  const incoming = join(root, 'incoming');
  const aside = join(root, 'aside');
  await removeAbandoned(incoming);
  await mkdir(aside, { recursive: true });

  const pathOf = (sha256: string) => join(root, checked(sha256).slice(0, 2), sha256.slice(2, 4), sha256);

  /** Puts a file back that was moved aside, unless another one has its place already. */
  const putBack = async (moved: string, sha256: string): Promise<void> => {
    await link(moved, pathOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
    });
    await rm(moved, { force: true });
  };

  /** What a collector that was killed has left aside is put back; the next one judges it again. */
  for (const name of await readdir(aside)) await putBack(join(aside, name), name.slice(0, 64));

  /** Does something to the file of a blob, wherever it is at the moment; null when there is none. */
  const withFile = async <T>(sha256: string, act: (path: string) => Promise<T>): Promise<T | null> => {
    const path = pathOf(sha256);
    const there = await ifThere(act(path));
    if (there !== null) return there;
    for (const name of await readdir(aside)) {
      if (!name.startsWith(sha256)) continue;
      const moved = await ifThere(act(join(aside, name)));
      if (moved !== null) return moved;
    }
    // It may have been put back in between.
    return await ifThere(act(path));
  };

  return {
    put: async (source, { maxBytes }) => {
      const temporary = join(incoming, randomUUID());
      try {
        const blob = await writeWhole(temporary, source, maxBytes);
        const path = pathOf(blob.sha256);
        // Mostly the directory is there.
        if ((await ifThere(rename(temporary, path).then(() => true))) === null) {
          await mkdir(dirname(path), { recursive: true });
          await rename(temporary, path);
        }
        return blob;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    get: async (sha256, range) => {
      // An open file stays readable when its name goes, so there is nothing between the look and the reading.
      const file = await withFile<FileHandle>(sha256, (path) => open(path, 'r'));
      if (file === null) return null;
      try {
        const last = (await file.stat()).size - 1;
        const { start = 0, end = last } = range ?? {};
        return readFileStream(file, start, Math.min(end, last));
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    stat: async (sha256) => {
      const found = await withFile(sha256, (path) => stat(path));
      return found === null ? null : { sha256, sizeBytes: found.size };
    },
    keep: async (sha256) => {
      const now = new Date();
      const kept = await withFile(sha256, async (path) => {
        await utimes(path, now, now);
        // Aside, the collector may have looked already: the file gets its place back before that removes it.
        if (path.startsWith(aside)) await link(path, pathOf(sha256)).catch(ignoreExisting);
        return true;
      });
      return kept ?? false;
    },
    list: () => listBlobs(root),
    collect: async (sha256, touchedBefore) => {
      const path = pathOf(sha256);
      const isOld = async (file: string) => ((await ifThere(stat(file)))?.mtimeMs ?? Infinity) < touchedBefore;
      if (!(await isOld(path))) return false;
      const moved = join(aside, `${sha256}.${randomUUID()}`);
      if ((await ifThere(rename(path, moved).then(() => true))) === null) return false;
      if (await isOld(moved)) {
        await rm(moved);
        return true;
      }
      await putBack(moved, sha256);
      return false;
    },
  };
};

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error;
};

async function* listBlobs(root: string): AsyncGenerator<ListedBlob> {
  const names = async (directory: string) => (await ifThere(readdir(directory))) ?? [];
  for (const first of await names(root)) {
    if (!/^[0-9a-f]{2}$/.test(first)) continue;
    for (const second of await names(join(root, first))) {
      const directory = join(root, first, second);
      const entries = await ifThere(opendir(directory));
      if (entries === null) continue;
      for await (const { name } of entries) {
        const found = await ifThere(stat(join(directory, name)));
        if (found !== null && /^[0-9a-f]{64}$/.test(name))
          yield { sha256: name, sizeBytes: found.size, touchedAt: found.mtimeMs };
      }
    }
  }
}

const writeWhole = async (
  path: string,
  source: Uint8Array | ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<StoredBlob> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of readPieces(source)) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) throw new BlobTooLarge(maxBytes);
      // The disk and the hash are at work at the same time.
      const writing = file.writeFile(piece);
      hash.update(piece);
      await writing;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
};

/** A hash becomes a path; nothing else may. */
const checked = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('not a SHA-256 in hexadecimal');
  return sha256;
};
