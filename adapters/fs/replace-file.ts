import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { keepOwner } from './keep-owner.ts';

/** Milliseconds after which a file that was never put in its place belongs to a writer that was killed. */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Puts a file that only its owner may read in the place of `path`, whole or not at all, also when the power fails. A
 * link stays a link: what it leads to is replaced. Of several who do so at once
 * the last one's stands, and nobody fails.
 */
export const replaceFile = (path: string, text: string): void => {
  const target = resolveLink(path);
  const directory = dirname(target);
  const written = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  removeAbandoned(directory, `${basename(target)}.`);
  try {
    const file = openSync(written, 'wx', 0o600);
    try {
      keepOwner(file, target);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(written, target);
  } finally {
    rmSync(written, { force: true });
  }
  syncDirectory(directory);
};

/** Others may be writing the same file just now, so only what is old is taken away. */
const removeAbandoned = (directory: string, beginning: string): void => {
  for (const name of namesIn(directory)) {
    if (!name.startsWith(beginning) || !/^[0-9a-f]{12}\.tmp$/.test(name.slice(beginning.length))) continue;
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
};

/** Tidying is no reason to fail: whoever may write in a directory need not be allowed to list it. */
const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const resolveLink = (path: string): string => {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
};

/** Makes the renaming itself last. It is already done, so a system that cannot sync a directory is no failure. */
const syncDirectory = (directory: string): void => {
  try {
    const handle = openSync(directory, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {}
};
