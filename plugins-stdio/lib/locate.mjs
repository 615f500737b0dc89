import { lstat, readlink } from 'node:fs/promises';
import { FolderFault } from './folder-fault.mjs';
import { openRoot } from './open-folder.mjs';

const LINK_LIMIT = 16;

/**
 * Walks from a root to an entry, one open directory at a time, and returns `{ folder, name, stats }`: the open folder
 * that holds the entry (the caller closes it), the entry's name, its `lstat` (bigint) or null where there is nothing.
 * The root itself has the name null. Links are followed as long as they stay below the root: a relative target is
 * walked like the rest of the path, and `..` goes back to a directory that is open already; an absolute target, or one
 * that goes above the root, is a fault `outside`. With `followLast: false` a link at the end is the entry itself.
 */
export async function locate(rootPath, segments, { followLast = true } = {}) {
  const opened = [await openRoot(rootPath)];
  const pending = [...segments];
  let links = 0;
  try {
    while (pending.length > 0) {
      const name = pending.shift();
      if (name === '..') {
        if (opened.length === 1) throw outside();
        await opened.pop().close();
        continue;
      }
      const folder = opened.at(-1);
      const stats = await lstatOrNull(folder.at(name));
      const isLast = pending.length === 0;
      if (stats?.isSymbolicLink() && (followLast || !isLast)) {
        links += 1;
        if (links > LINK_LIMIT) throw new FolderFault('too-many-links', `it leads over more than ${LINK_LIMIT} links`);
        pending.unshift(...(await targetOf(folder.at(name))));
      } else if (isLast) {
        return { folder: opened.pop(), name, stats };
      } else {
        if (stats === null) throw new FolderFault('not-found', 'a folder on the way to it does not exist');
        opened.push(await folder.enter(name));
      }
    }
    return { folder: opened.pop(), name: null, stats: null };
  } finally {
    for (const folder of opened) await folder.close();
  }
}

/** The folder at a path, open. A fault says why there is none. */
export async function locateFolder(rootPath, segments) {
  const { folder, name, stats } = await locate(rootPath, segments);
  if (name === null) return folder;
  try {
    if (stats === null) throw new FolderFault('not-found', 'it does not exist');
    return await folder.enter(name);
  } finally {
    await folder.close();
  }
}

export async function lstatOrNull(path) {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

async function targetOf(path) {
  const target = await readlink(path);
  const isAbsolute = target.startsWith('/') || target.includes('\\') || /^[A-Za-z]:/.test(target);
  if (isAbsolute) throw outside();
  return target.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function outside() {
  return new FolderFault('outside', 'a link on the way leads out of the root');
}
