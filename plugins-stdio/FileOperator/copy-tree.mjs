import { constants } from 'node:fs';
import { mkdir, readlink, symlink } from 'node:fs/promises';
import { lstatOrNull } from '../lib/locate.mjs';
import { WALK_DEPTH, WALKED_ENTRIES } from './limits.mjs';
import { UNFINISHED } from '../lib/path-segments.mjs';
import { readPieces } from '../lib/read-bytes.mjs';
import { replaceFile } from '../lib/replace-file.mjs';
import { kindOf } from '../lib/walk.mjs';

/** A copy that would go beyond its limits. */
export class CopyLimit extends Error {}

/**
 * Copies a file, a link as a link, or a folder with all in it, to a name that is free; `previous` is a file that is to be
 * replaced. `tally` counts `files`, `folders`, `links` and `bytes`, and lists under `skipped` what cannot be copied:
 * devices, pipes and sockets. Returns what was copied, `{ name, stats, below }`, with `stats` from before it was read and
 * `below` (of a folder only) the same of what it holds; null for what was passed over.
 */
export async function copyTree(from, to, options, depth = 0, made = []) {
  const { tally, previous = null, keepOwner = false, signal, until } = options;
  const stats = await lstatOrNull(from.folder.at(from.name));
  if (stats === null || UNFINISHED.test(from.name)) return null;
  if (depth > WALK_DEPTH || tally.files + tally.folders > WALKED_ENTRIES || Date.now() > until) throw new CopyLimit();
  signal.throwIfAborted();
  const kind = kindOf(stats);
  if (kind === 'file') {
    const copied = await copyFile(from, to, { previous, keepOwner, signal });
    tally.bytes += Number(copied.size);
    tally.files += 1;
    return { name: from.name, stats: copied };
  }
  if (kind === 'link') {
    await symlink(await readlink(from.folder.at(from.name)), to.folder.at(to.name));
    tally.links += 1;
    return { name: from.name, stats };
  }
  if (kind === 'folder') {
    await mkdir(to.folder.at(to.name));
    tally.folders += 1;
    const below = await copyFolder(from, to, { ...options, previous: null }, depth, made);
    return { name: from.name, stats, below };
  }
  tally.skipped.push(from.name);
  return null;
}

async function copyFolder(from, to, options, depth, made) {
  const source = await from.folder.enter(from.name);
  try {
    const target = await to.folder.enter(to.name);
    try {
      // A copy into a part of itself would never end.
      const own = [...made, (await target.stat()).ino];
      const copied = [];
      for (const { name } of await source.entries()) {
        const below = await lstatOrNull(source.at(name));
        if (below?.isDirectory() && own.includes(below.ino)) continue;
        copied.push(await copyTree({ folder: source, name }, { folder: target, name }, options, depth + 1, own));
      }
      await target.sync();
      return copied.filter((record) => record !== null);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyFile(from, to, { previous, keepOwner, signal }) {
  const { handle, stats } = await from.folder.openFile(from.name, constants.O_RDONLY);
  try {
    await replaceFile(to.folder, to.name, {
      previous,
      mode: Number(stats.mode),
      ...(keepOwner && { owner: stats }),
      write: async (copy) => {
        for await (const piece of readPieces(handle, { signal })) await copy.writeFile(piece);
      },
    });
    return stats;
  } finally {
    await handle.close();
  }
}
