import { resolve } from 'node:path';
import process from 'node:process';
import { describeIssues } from '../../src/lib/issue.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { messageOf } from '../../src/lib/message-of.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import { createKeyRing, NO_KEYS, type KeyRing } from '../../src/server/key-ring.ts';
import { readApiKeys } from '../../src/server/read-api-keys.ts';
import { followTextFile, type FollowedText } from '../fs/follow-text-file.ts';

/** Where the keys file is, or would be. */
export const keysFileOf = ({ VCP_API_KEYS_FILE, VCP_DATA_DIR }: Configuration): string =>
  VCP_API_KEYS_FILE === undefined ? resolve(VCP_DATA_DIR, 'keys.json') : resolve(VCP_API_KEYS_FILE);

/** A keys file that cannot be used; its message is for the operator. */
export class KeysFileFault extends Error {
  override readonly name = 'KeysFileFault';
}

export type KeysFile = {
  /** The keys that the file holds now; those of before while it cannot be used. */
  current(): KeyRing;
  /** Stops following it. */
  close(): void;
};

export type KeysFileOptions = {
  readonly path: string;
  /** Whether the operator named it, so that a missing one is worth a word. */
  readonly isExpected: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Milliseconds between two looks while no request asks for keys: a change is taken before the next spoils it. */
const LOOK_EVERY_MS = 1_000;

/**
 * Opens the keys file, which need not be there yet, and follows it: every request sees it as it is then. Whatever
 * becomes of it, the log says so once, and what cannot be used leaves the keys as they were. At the start there are
 * none before: it raises KeysFileFault.
 */
export const openKeysFile = ({ path, isExpected, limits, clock, logger }: KeysFileOptions): KeysFile => {
  const file = followTextFile(path, limits.keysFileBytes, clock.now);
  let ring = createKeyRing(NO_KEYS);
  let isThere = isExpected;
  let fault: string | null = null;

  const take = ({ text, mode }: FollowedText): void => {
    if (text === null) {
      if (isThere)
        logger.warn('keys.missing', { file: path, reason: 'there is no such file: only the default key is known' });
      ring = createKeyRing(NO_KEYS);
    } else {
      ring = createKeyRing(parseKeysFile(path, text, limits));
      logger.info('keys.loaded', { file: path, keys: ring.size, defaultKey: ring.defaultKey });
      const open = openToOthers(path, mode);
      if (open !== null) logger.warn('keys.open-to-others', { file: path, reason: open });
    }
    isThere = text !== null;
  };

  const readChange = (): FollowedText | null => {
    try {
      return file.readChange();
    } catch (error) {
      throw new KeysFileFault(`the keys file ${path} cannot be used: ${(error as Error).message}`, { cause: error });
    }
  };

  const look = (): void => {
    const change = readChange();
    if (change === null) return;
    fault = null;
    take(change);
  };

  const current = (): KeyRing => {
    try {
      look();
    } catch (error) {
      const reason = messageOf(error);
      // The file is looked at for every request; a fault is told when it begins.
      if (reason !== fault) logger.error('keys.not-loaded', { file: path, reason });
      fault = reason;
    }
    return ring;
  };

  look();
  const looking = setInterval(current, LOOK_EVERY_MS);
  looking.unref();
  return { current, close: () => clearInterval(looking) };
};

/** The content of a keys file, checked; raises KeysFileFault with the places at fault. */
export const parseKeysFile = (path: string, text: string, limits: Limits) => {
  const read = readApiKeys(text, limits);
  if (read.ok) return read.file;
  throw new KeysFileFault(`the keys file ${path} cannot be used: ${describeIssues(read.issues)}`);
};

/** What is wrong with a file of these permissions, or null. Windows keeps permissions in another way. */
export const openToOthers = (path: string, mode: number): string | null =>
  process.platform === 'win32' || (mode & 0o077) === 0
    ? null
    : `other users of this machine may open it (mode ${mode.toString(8)}); run chmod 600 ${path}`;
