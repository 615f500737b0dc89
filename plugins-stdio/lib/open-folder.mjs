import { existsSync, constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { FolderFault } from './folder-fault.mjs';

const DIRECTORY_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
// O_NONBLOCK: opening a FIFO must not wait for its other end.
const FILE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Whether an open directory can be named by its descriptor, so that nobody can swap a part of the way to it. */
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Opens a directory of the operator's choice as the root of a walk. A folder is an open directory:
 * - `at(name)`: a path for node:fs that means that entry of this very directory, whatever became of the way to it
 * - `enter(name)`: the folder below; never follows a link
 * - `openFile(name, flags)`: `{ handle, stats }` of a regular file; never follows a link, never waits for a FIFO
 * - `entries()`: its `Dirent`s, in the order of the file system
 * - `sync()`: makes renames in it survive a power cut, where the system can
 * - `close()`
 * Where the system has no descriptor paths (only Linux does), names are resolved again at each step and the outcome is
 * checked after the opening: that finds a swapped link, but a writer may already have met it.
 */
export async function openRoot(path) {
  const root = await realpath(path);
  return hasDescriptorPaths ? await openByDescriptor(root) : await openByPath(root, root);
}

async function openByDescriptor(path) {
  const handle = await openDirectory(path);
  const own = `/proc/self/fd/${handle.fd}`;
  const at = (name) => `${own}/${name}`;
  return {
    at,
    enter: (name) => openByDescriptor(at(name)),
    openFile: (name, flags) => openRegularFile(at(name), flags),
    entries: () => readdir(own, { withFileTypes: true }),
    stat: () => handle.stat({ bigint: true }),
    sync: () => handle.sync().catch(() => {}),
    close: () => handle.close(),
  };
}

async function openDirectory(path) {
  try {
    return await open(path, DIRECTORY_FLAGS);
  } catch (error) {
    // A link answers ENOTDIR on Linux: it was a directory a moment ago, or is no directory at all.
    if (error.code === 'ENOTDIR' || error.code === 'ELOOP') throw notADirectory();
    throw error;
  }
}

async function openByPath(root, path) {
  const check = async () => {
    const way = relative(root, await realpath(path));
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw swapped();
  };
  const stats = await lstat(path, { bigint: true });
  if (!stats.isDirectory()) throw notADirectory();
  await check();
  const at = (name) => join(path, name);
  return {
    at,
    enter: (name) => openByPath(root, at(name)),
    openFile: async (name, flags) => {
      const file = await openRegularFile(at(name), flags);
      try {
        await check();
      } catch (error) {
        await file.handle.close();
        throw error;
      }
      return file;
    },
    entries: async () => {
      const found = await readdir(path, { withFileTypes: true });
      await check();
      return found;
    },
    stat: async () => stats,
    sync: async () => {},
    close: async () => {},
  };
}

async function openRegularFile(path, flags) {
  // Looked at first: opening a device may already do something.
  const before = await lstat(path, { bigint: true });
  if (!before.isFile()) throw notAFile(before);
  let handle;
  try {
    handle = await open(path, flags | FILE_FLAGS);
  } catch (error) {
    if (error.code === 'ELOOP' || error.code === 'ENXIO') throw swapped();
    throw error;
  }
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile() && stats.ino === before.ino && stats.dev === before.dev) return { handle, stats };
  await handle.close();
  throw swapped();
}

function notAFile(stats) {
  const kind = stats.isDirectory() ? 'a folder' : stats.isSymbolicLink() ? 'a link' : 'a device, pipe or socket';
  return new FolderFault('not-a-file', `it is ${kind}, not a file`);
}

function notADirectory() {
  return new FolderFault('not-a-directory', 'a part of the path is not a folder');
}

function swapped() {
  return new FolderFault('changed', 'it was replaced while it was being opened');
}
