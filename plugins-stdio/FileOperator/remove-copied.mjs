import { rmdir, unlink } from 'node:fs/promises';
import { lstatOrNull } from '../lib/locate.mjs';
import { isUnchanged, removeAbandoned } from '../lib/replace-file.mjs';

/**
 * Removes from `folder` what `copyTree` has copied from it, and nothing else. What is not as it was copied stays, and so do
 * the folders that hold it: their paths are returned.
 */
export async function removeCopied(folder, { name, stats, below }, path = name) {
  const now = await lstatOrNull(folder.at(name));
  if (now === null) return [];
  if (below === undefined) {
    if (!isUnchanged(now, stats)) return [path];
    await unlink(folder.at(name));
    return [];
  }
  if (now.ino !== stats.ino || now.dev !== stats.dev) return [path];
  const source = await folder.enter(name);
  const kept = [];
  try {
    for (const record of below) kept.push(...(await removeCopied(source, record, `${path}/${record.name}`)));
    await removeAbandoned(source);
  } finally {
    await source.close();
  }
  if (kept.length > 0) return kept;
  try {
    await rmdir(folder.at(name));
    return [];
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return [path]; // something came that was not copied
    throw error;
  }
}

/** Whether all of it is still as it was copied, as far as can be seen. */
export async function isAsCopied(folder, { name, stats, below }) {
  const now = await lstatOrNull(folder.at(name));
  if (now === null) return false;
  if (below === undefined) return isUnchanged(now, stats);
  if (now.ino !== stats.ino || now.mtimeNs !== stats.mtimeNs) return false;
  const source = await folder.enter(name);
  try {
    for (const record of below) if (!(await isAsCopied(source, record))) return false;
    return true;
  } finally {
    await source.close();
  }
}
