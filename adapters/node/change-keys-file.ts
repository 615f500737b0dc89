import { readFileSync } from 'node:fs';
import { formatBytes } from '../../src/lib/bytes.ts';
import type { Limits } from '../../src/lib/limits.ts';
import type { ApiKeysFile } from '../../src/protocol/api-keys.ts';
import { NO_KEYS } from '../../src/server/key-ring.ts';
import { replaceFile } from '../fs/replace-file.ts';
import { withFileLock } from '../sqlite/file-lock.ts';
import { KeysFileFault, parseKeysFile } from './keys-file.ts';

/** Milliseconds that a change waits for the changes of others. */
const LOCK_WAIT_MS = 10_000;

/** The keys file as it is now; one without keys when there is none. Raises KeysFileFault when it cannot be used. */
export const readKeysFile = (path: string, limits: Limits): ApiKeysFile => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_KEYS;
    throw error;
  }
  return parseKeysFile(path, text, limits);
};

/** What becomes of the file, null when it stays as it is, and what the caller wants to know. */
export type KeysChange<Outcome> = { readonly file: ApiKeysFile | null; readonly outcome: Outcome };

/**
 * Changes the keys file: reads it, hands it to `change`, and writes what comes back, alone among all processes. Raises
 * KeysFileFault when it cannot be used, or would not be when it is written.
 */
export const changeKeysFile = <Outcome>(
  path: string,
  limits: Limits,
  change: (file: ApiKeysFile) => KeysChange<Outcome>,
): Outcome =>
  withFileLock(`${path}.lock`, LOCK_WAIT_MS, () => {
    const { file, outcome } = change(readKeysFile(path, limits));
    if (file !== null) replaceFile(path, writeText(path, file, limits.keysFileBytes));
    return outcome;
  });

const writeText = (path: string, file: ApiKeysFile, maxBytes: number): string => {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new KeysFileFault(
    `the keys file ${path} would have more than ${formatBytes(maxBytes)}; remove keys that have ended from it, or raise VCP_LIMIT_KEYS_FILE_BYTES`,
  );
};
