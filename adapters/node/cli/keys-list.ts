import { statSync } from 'node:fs';
import process from 'node:process';
import type { Limits } from '../../../src/lib/limits.ts';
import { readKeysFile } from '../change-keys-file.ts';
import { openToOthers } from '../keys-file.ts';
import { keyState, keyTable } from './keys-table.ts';

/** `vcp keys list`: the keys of the file, and what of each hash tells it from others. */
export const listKeys = (file: string, limits: Limits, asJson: boolean): void => {
  const { defaultKey, keys } = readKeysFile(file, limits);
  const now = Date.now();
  warnIfOpen(file);
  if (!asJson) {
    process.stdout.write(keyTable(defaultKey, keys, now));
    return;
  }
  const shown = keys.map(({ sha256, ...entry }) => ({
    ...entry,
    // Enough to compare with, not the whole.
    sha256Start: sha256.slice(0, 8),
    state: keyState(entry, now),
  }));
  process.stdout.write(`${JSON.stringify({ file, defaultKey, keys: shown }, null, 2)}\n`);
};

const warnIfOpen = (file: string): void => {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const open = mode === undefined ? null : openToOthers(file, mode & 0o777);
  if (open !== null) process.stderr.write(`vcp: warning: ${open}\n`);
};
