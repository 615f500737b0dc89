import { mkdir, rename, rmdir } from 'node:fs/promises';
import { FolderFault } from '../lib/folder-fault.mjs';
import { removeUnfinished } from '../lib/remove-entry.mjs';
import { removeAbandoned, unfinishedName } from '../lib/replace-file.mjs';
import { copyTree } from './copy-tree.mjs';

/**
 * Copies like `copyTree`, and all or nothing: a folder grows under a name that nobody sees and gets its own when it is whole.
 * So a copy that fails takes away nothing but itself. `beforeItShows(copied)` may still throw it away.
 */
export async function copyWhole(from, to, options, beforeItShows = async () => {}) {
  if (!from.stats.isDirectory()) return present(await copyTree(from, to, options));
  await removeAbandoned(to.folder);
  const aside = { folder: to.folder, name: unfinishedName() };
  try {
    const copied = present(await copyTree(from, aside, options));
    await beforeItShows(copied);
    await moveFolderWithoutReplacing(aside.folder.at(aside.name), to.folder.at(to.name));
    return copied;
  } catch (error) {
    await removeUnfinished(aside);
    throw error;
  }
}

function present(copied) {
  if (copied !== null) return copied;
  throw new FolderFault('changed', 'it went away or was replaced meanwhile; nothing was done');
}

/** Taking the name first fails (EEXIST) for whatever is there; an empty folder is then replaced, ours and no other's. */
async function moveFolderWithoutReplacing(from, to) {
  if (process.platform === 'win32') return await rename(from, to); // which replaces no folder there
  await mkdir(to);
  try {
    return await rename(from, to);
  } catch (error) {
    await rmdir(to).catch(() => {});
    throw error;
  }
}
