import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import { FolderFault } from './folder-fault.mjs';
import { lstatOrNull } from './locate.mjs';
import { UNFINISHED } from './path-segments.mjs';
import { removeUnfinished } from './remove-entry.mjs';

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** After which an unfinished write is taken for abandoned: far longer than any call takes. */
const ABANDONED_MS = 60 * 60 * 1000;
/** Without set-user-ID and set-group-ID: they belong to the bytes that were there, not to new ones. */
const PERMISSION_BITS = 0o777;
/** Answers of file systems that have no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Puts a file in place whole: written aside by `write(handle)`, synced, then renamed, so that nobody ever sees a part
 * and a fault leaves what was there. `previous` is the `lstat` of the file it replaces, which it takes the permissions and,
 * where it may, the owner from; null when there is none, and then a file that has come since is a fault (EEXIST).
 */
export async function replaceFile(folder, name, { previous, write, mode, owner }) {
  await removeAbandoned(folder);
  const path = folder.at(unfinishedName());
  const handle = await open(path, CREATE_FLAGS, 0o666);
  try {
    try {
      await giveOwner(handle, previous ?? owner);
      const permissions = previous === null ? mode : Number(previous.mode);
      if (permissions !== undefined) await handle.chmod(permissions & PERMISSION_BITS);
      await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (previous === null) await moveWithoutReplacing(path, folder.at(name));
    else {
      await refuseChanged(folder.at(name), previous);
      await rename(path, folder.at(name));
    }
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  }
  await folder.sync();
}

/** A name that nobody sees, for what is written aside until it is whole. */
export function unfinishedName() {
  return `.vcp-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.tmp`;
}

/** Renames a file; one that is at the new name already is a fault (EEXIST), also one that comes at this very moment. */
export async function moveWithoutReplacing(from, to) {
  try {
    await link(from, to);
  } catch (error) {
    if (!NO_LINKS.has(error.code)) throw error;
    await (await open(to, CREATE_FLAGS)).close();
    try {
      await rename(from, to);
    } catch (renameError) {
      await unlink(to).catch(() => {});
      throw renameError;
    }
    return;
  }
  await unlink(from);
}

/** A fault unless a file is still the one that was looked at. */
export async function refuseChanged(path, before) {
  if (isUnchanged(await lstat(path, { bigint: true }), before)) return;
  throw new FolderFault('changed', 'something else changed it at the same time; nothing was done');
}

/** Whether two `lstat`s (bigint) show the same file with the same content. */
export function isUnchanged(now, before) {
  return ['ino', 'dev', 'size', 'mtimeNs'].every((field) => now[field] === before[field]);
}

/** Removes what writers that were killed have left in this folder. */
export async function removeAbandoned(folder) {
  for (const { name } of await folder.entries()) {
    if (!UNFINISHED.test(name)) continue;
    const stats = await lstatOrNull(folder.at(name));
    if (stats && Date.now() - Number(stats.mtimeMs) > ABANDONED_MS) await removeUnfinished({ folder, name });
  }
}

/** Only root may give a file away; for others the new file is their own, as with any editor. */
async function giveOwner(handle, owner) {
  if (owner === undefined) return;
  const { uid, gid } = await handle.stat({ bigint: true });
  if (uid === owner.uid && gid === owner.gid) return;
  await handle.chown(Number(owner.uid), Number(owner.gid)).catch((error) => {
    if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(error.code)) throw error;
  });
}
