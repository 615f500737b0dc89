import { fchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';

/**
 * Gives an open file to the owner of what is at `path`, or else of the directory there: what root writes for a server
 * that runs as somebody else stays that one's to read. Others than root own what they write, and nothing is done.
 */
export const keepOwner = (file: number, path: string): void => {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  fchownSync(file, uid, gid);
};
