import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forgetOwner, isOwnerGone, nameOwner } from './lock-owner.mjs';

const MAX_PAUSE_MS = 40;
// A directory cannot be renamed onto one that holds an entry; Windows refuses an empty one too, with EPERM.
const OCCUPIED = new Set(['EEXIST', 'ENOTEMPTY', ...(process.platform === 'win32' ? ['EPERM', 'EACCES'] : [])]);

/**
 * Takes an exclusive lock among calls, of this process and of others. Returns null when it could not be had within `waitMs`, else
 * `{ owner, isHeld(), release() }`. Aborting `signal` lets go at once, whether waiting or holding.
 *
 * The lock is a directory with one entry, named after its owner. That makes every step safe to be killed in:
 * - taking: the directory is prepared aside and renamed into place, which fails unless the place is free or
 *   empty. So a lock is never seen without its owner's name.
 * - recovering: the entry of a dead owner is deleted by its own name, which no later owner shares. However late
 *   a process acts on what it saw, it cannot delete a living owner's lock.
 */
export async function acquireFileLock(directory, name, { waitMs, signal }) {
  const owner = nameOwner();
  const lockPath = join(directory, name);
  const stagedPath = `${lockPath}.${owner}`;
  const entryPath = join(lockPath, owner);
  const isHeld = () => existsSync(entryPath);
  const letGo = () => {
    signal?.removeEventListener('abort', letGo);
    removeQuietly(stagedPath);
    removeQuietly(entryPath);
    removeIfEmpty(lockPath);
    forgetOwner(owner);
  };

  signal?.throwIfAborted();
  signal?.addEventListener('abort', letGo);
  try {
    const giveUpAt = performance.now() + waitMs;
    do {
      stage(stagedPath, owner);
      // The second look: if a sweep emptied the staged directory, what was renamed is no lock.
      if (renameUnlessOccupied(stagedPath, lockPath) && isHeld()) {
        sweepStaged(directory, `${name}.`);
        return { owner, isHeld, release: letGo };
      }
      if (!removeGoneOwners(lockPath)) await pause();
      signal?.throwIfAborted();
    } while (performance.now() < giveUpAt);
  } catch (error) {
    letGo();
    throw error;
  }
  letGo();
  return null;
}

function stage(stagedPath, owner) {
  const entryPath = join(stagedPath, owner);
  if (existsSync(entryPath)) return;
  mkdirSync(dirname(stagedPath), { recursive: true });
  // Not recursive: that form reports a read-only file system as ENOENT.
  if (!existsSync(stagedPath)) mkdirSync(stagedPath);
  writeFileSync(entryPath, '');
}

function renameUnlessOccupied(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    // ENOENT: a sweep took the staged directory; it is staged again on the next attempt.
    if (OCCUPIED.has(error.code) || error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Frees the lock of dead owners. Returns whether it is worth trying again without a pause. */
function removeGoneOwners(lockPath) {
  const owners = listDirectory(lockPath);
  for (const owner of owners) {
    const entryPath = join(lockPath, owner);
    if (!isOwnerGone(owner, () => ageMs(entryPath))) return false;
    rmSync(entryPath, { recursive: true, force: true });
  }
  removeIfEmpty(lockPath);
  return true;
}

/** Removes what processes that died while waiting have left behind. */
function sweepStaged(directory, prefix) {
  for (const fileName of listDirectory(directory)) {
    if (!fileName.startsWith(prefix)) continue;
    const stagedPath = join(directory, fileName);
    if (isOwnerGone(fileName.slice(prefix.length), () => ageMs(stagedPath))) removeQuietly(stagedPath);
  }
}

function listDirectory(path) {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0; // it has just gone by itself
  }
}

/** What cannot be removed now is recovered by the next taker here, or by any once this process has ended. */
function removeQuietly(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}

function removeIfEmpty(path) {
  try {
    rmdirSync(path);
  } catch {}
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * MAX_PAUSE_MS));
}
