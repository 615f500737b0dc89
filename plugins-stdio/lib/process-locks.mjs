import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_FILES = 256;
const MAX_PAUSE_MS = 20;
const SQLITE_BUSY = 5;

/**
 * Exclusive locks among calls and processes that share a directory. A key is a place in a small set of lock files; each
 * is locked through SQLite, so the system lets go by itself when its holder dies, however it dies.
 */
export function createProcessLocks(directory) {
  return {
    /**
     * Runs `action` while holding the locks of all keys. Throws `LockTimeout` when they could not be had before
     * `giveUpAt` (milliseconds since 1970), and the reason of `signal` when that is aborted.
     */
    async hold(keys, { giveUpAt, signal }, action) {
      mkdirSync(directory, { recursive: true });
      // In one order for everybody: two calls never wait for each other.
      const files = [...new Set(keys.map(lockFileOf))].toSorted();
      const held = [];
      try {
        for (const file of files) held.push(await acquire(join(directory, file), { giveUpAt, signal }));
        return await action();
      } finally {
        for (const database of held) database.close();
      }
    },
  };
}

export class LockTimeout extends Error {}

function lockFileOf(key) {
  const digest = createHash('sha256').update(key).digest();
  return `${(digest.readUInt16BE(0) % LOCK_FILES).toString(16).padStart(2, '0')}.lock`;
}

async function acquire(path, { giveUpAt, signal }) {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    for (;;) {
      if (tryLock(database)) return database;
      if (Date.now() >= giveUpAt) throw new LockTimeout('another call holds the lock');
      await sleep(1 + Math.random() * MAX_PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The transaction writes nothing and ends when the database is closed. */
function tryLock(database) {
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
