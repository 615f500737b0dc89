import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { keepOwner } from './keep-owner.ts';

/**
 * Puts a file that only its owner may read in the place of `path`, whole or not at all, also when the power fails. A
 * link stays a link: what it leads to is replaced. Those who replace the same file take turns.
 */
export const replaceFile = (path: string, text: string): void => {
  const target = resolveLink(path);
  const directory = dirname(target);
  const written = `${target}.tmp`;
  // Of a writer that was killed.
  rmSync(written, { force: true });
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
