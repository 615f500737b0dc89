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
 * devices, pipes and sockets.
 */
export async function copyTree(from, to, { tally, previous = null, signal, until }, depth = 0, made = []) {
  const stats = await lstatOrNull(from.folder.at(from.name));
  if (stats === null || UNFINISHED.test(from.name)) return;
  if (depth > WALK_DEPTH || tally.files + tally.folders > WALKED_ENTRIES || Date.now() > until) throw new CopyLimit();
  signal.throwIfAborted();
  const kind = kindOf(stats);
  if (kind === 'file') {
    tally.bytes += await copyFile(from, to, { previous, signal });
    tally.files += 1;
  } else if (kind === 'link') {
    await symlink(await readlink(from.folder.at(from.name)), to.folder.at(to.name));
    tally.links += 1;
  } else if (kind === 'folder') {
    await mkdir(to.folder.at(to.name));
    tally.folders += 1;
    await copyFolder(from, to, { tally, signal, until }, depth, made);
  } else tally.skipped.push(from.name);
}

async function copyFolder(from, to, options, depth, made) {
  const source = await from.folder.enter(from.name);
  try {
    const target = await to.folder.enter(to.name);
    try {
      // A copy into a part of itself would never end.
      const own = [...made, (await target.stat()).ino];
      for (const { name } of await source.entries()) {
        const below = await lstatOrNull(source.at(name));
        if (below?.isDirectory() && own.includes(below.ino)) continue;
        await copyTree({ folder: source, name }, { folder: target, name }, options, depth + 1, own);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyFile(from, to, { previous, signal }) {
  const { handle, stats } = await from.folder.openFile(from.name, constants.O_RDONLY);
  try {
    await replaceFile(to.folder, to.name, {
      previous,
      mode: Number(stats.mode),
      write: async (copy) => {
        for await (const piece of readPieces(handle, { signal })) await copy.writeFile(piece);
      },
    });
    return Number(stats.size);
  } finally {
    await handle.close();
  }
}
