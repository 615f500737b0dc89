import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { LocalFile, LocalFileRefusal, LocalFiles } from '../../src/ports/resource-store.ts';
import { listLocalFiles } from './list-local-files.ts';

/** Bytes of a file that are read at a time for a reader that brings no memory of its own. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Opens files below a root (§19.1). The path is judged by what it really leads to, after the file has been opened:
 * a link that is swapped between a check and the opening gains nothing, because the open file itself is checked.
 */
export const createLocalFiles = (): LocalFiles => ({
  open: async (root, relativePath) => {
    const opened = await openBelow(root, relativePath, false);
    if (typeof opened === 'string') return opened;
    const file = await fileOf(opened);
    if (typeof file === 'string') await opened.handle.close();
    return file;
  },
  list: async (root, relativePath, { maxEntries }) => {
    const opened = await openBelow(root, relativePath, true);
    if (typeof opened === 'string') return opened;
    try {
      const isDirectory = (await opened.handle.stat()).isDirectory();
      return isDirectory ? await listLocalFiles(opened.path, maxEntries) : 'not-a-directory';
    } finally {
      await opened.handle.close();
    }
  },
});

/** Something that is open, and where it really is. */
type Opened = { readonly handle: FileHandle; readonly path: string };

const openBelow = async (
  root: string,
  relativePath: string,
  mayBeRoot: boolean,
): Promise<Opened | LocalFileRefusal> => {
  if (isAbsolute(relativePath) || /^[A-Za-z]:/.test(relativePath)) return 'absolute';
  if (!isPlainRelative(relativePath)) return 'outside-root';
  const realRoot = await realpath(root).catch(() => null);
  if (realRoot === null) return 'not-found';
  let handle: FileHandle;
  try {
    // O_NONBLOCK: opening a FIFO must not wait for its writer. O_NOFOLLOW: the last step is no link.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = await open(join(realRoot, relativePath), flags);
  } catch (error) {
    return refusalOf(error);
  }
  const path = await realPathOf(handle, join(realRoot, relativePath));
  if (path !== null && (isInside(realRoot, path) || (mayBeRoot && path === realRoot))) return { handle, path };
  await handle.close();
  return 'outside-root';
};

const fileOf = async ({ handle }: Opened): Promise<LocalFile | LocalFileRefusal> => {
  const stats = await handle.stat();
  if (!stats.isFile()) return 'not-a-file';
  return {
    sizeBytes: stats.size,
    stream: () => streamOf(handle),
    close: () => handle.close(),
  };
};

/** A byte stream, so that a reader can have the whole file in the same piece of memory, one part after the other. */
const streamOf = (handle: FileHandle): ReadableStream<Uint8Array> => {
  let position = 0;
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: CHUNK_BYTES,
    pull: async (controller) => {
      const request = controller.byobRequest as ReadableStreamBYOBRequest;
      const view = request.view as Uint8Array;
      const { bytesRead } = await handle.read(view, 0, view.byteLength, position);
      position += bytesRead;
      if (bytesRead === 0) controller.close();
      request.respond(bytesRead);
    },
  });
};

/** Where the open file really is. Linux tells by the descriptor; elsewhere the path is resolved and compared by identity. */
const realPathOf = async (handle: FileHandle, opened: string): Promise<string | null> => {
  if (process.platform === 'linux') return await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  const path = await realpath(opened).catch(() => null);
  if (path === null) return null;
  const again = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null);
  if (again === null) return null;
  try {
    const [a, b] = await Promise.all([handle.stat(), again.stat()]);
    return a.ino === b.ino && a.dev === b.dev ? path : null;
  } finally {
    await again.close();
  }
};

/**
 * Whether a path has nothing in it that some part of some system might take for a step out: no `..`, no backslash, and no
 * code for a dot, a slash or a backslash, which a decoder on the way would turn into one.
 */
const isPlainRelative = (path: string): boolean =>
  !path.includes('\0') &&
  !path.includes('\\') &&
  !/%(?:25)*(?:2e|2f|5c)/i.test(path) &&
  !path.split('/').includes('..');

const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way !== '' && !way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way);
};

const refusalOf = (error: unknown): LocalFileRefusal => {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return 'not-found';
    case 'EACCES':
    case 'EPERM':
      return 'not-readable';
    case 'ELOOP':
      return 'outside-root';
    case 'ENXIO':
    case 'EISDIR':
    case 'ENODEV':
      return 'not-a-file';
    default:
      throw error;
  }
};
