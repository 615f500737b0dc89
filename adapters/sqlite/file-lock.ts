import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keepOwner } from '../fs/keep-owner.ts';

/**
 * Runs `work` while no other process runs its own under the lock of this file, which is made when it is not there and
 * stays. SQLite holds the lock: the operating system takes it back when its holder dies, whatever kills it, which a
 * lock made of files alone cannot promise. Waits at most `waitMs`, without letting anything else run; then it raises.
 */
export const withFileLock = <Result>(lockFile: string, waitMs: number, work: () => Result): Result => {
  makeLockFile(lockFile);
  const database = new DatabaseSync(lockFile, { timeout: waitMs });
  try {
    // Takes the lock for writing; as nothing is written, nothing is left to undo. Deno gives the code of an error, by which
    // callers know that others hold the lock, with a prepared statement alone.
    database.prepare('BEGIN IMMEDIATE').run();
    return work();
  } finally {
    database.close();
  }
};

/** SQLite would make it readable to others, and root's when root runs this. */
const makeLockFile = (path: string): void => {
  const file = openSync(path, 'a', 0o600);
  try {
    keepOwner(file, dirname(path));
  } finally {
    closeSync(file);
  }
};
