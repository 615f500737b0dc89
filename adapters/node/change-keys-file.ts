import { readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { ApiKeysFile } from '../../src/protocol/api-keys.ts';
import { NO_KEYS } from '../../src/server/key-ring.ts';
import { replaceFile } from '../fs/replace-file.ts';
import { withFileLock } from '../sqlite/file-lock.ts';
import { parseKeysFile } from './keys-file.ts';

/** Milliseconds that a change waits for the changes of others. */
const LOCK_WAIT_MS = 10_000;

/** The keys file as it is now; one without keys when there is none. Raises KeysFileFault when it cannot be used. */
export const readKeysFile = (path: string): ApiKeysFile => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_KEYS;
    throw error;
  }
  return parseKeysFile(path, text, DEFAULT_LIMITS);
};

/**
 * Changes the keys file: reads it, hands it to `change`, and writes what comes back, alone among all processes. Null
 * from `change` leaves the file as it is.
 */
export const changeKeysFile = (path: string, change: (file: ApiKeysFile) => ApiKeysFile | null): void =>
  withFileLock(`${path}.lock`, LOCK_WAIT_MS, () => {
    const changed = change(readKeysFile(path));
    if (changed !== null) replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`);
  });
