import { readFileSync, statSync, type Stats } from 'node:fs';
import { formatBytes } from '../../src/lib/bytes.ts';

export type FollowedText = {
  /** The whole text, or null when there is no file. */
  readonly text: string | null;
  /** Permission bits of the file. */
  readonly mode: number;
};

export type FollowedFile = {
  /** What the file holds, when that is not what was read last; else null. Raises what the file system says. */
  readChange(): FollowedText | null;
};

/** Milliseconds after a change in which another might leave the same time stamps. */
const UNSETTLED_MS = 1_000;

/**
 * Follows a small file by looking at it when asked. A look takes two microseconds, needs no timer, and sees every kind
 * of replacement, where a watcher sees some late and some not at all. `now` is the time since the epoch.
 */
export const followTextFile = (path: string, maxBytes: number, now: () => number): FollowedFile => {
  // Undefined: whatever is there is to be read again.
  let seen: Stats | null | undefined;
  let last: FollowedText | null = null;
  return {
    readChange: () => {
      const stats = statSync(path, { throwIfNoEntry: false }) ?? null;
      if (seen !== undefined && isSame(stats, seen)) return null;
      const found = stats === null ? NO_FILE : { text: read(path, stats, maxBytes), mode: stats.mode & 0o777 };
      seen = stats === null || now() - stats.ctimeMs > UNSETTLED_MS ? stats : undefined;
      if (last !== null && last.text === found.text && last.mode === found.mode) return null;
      last = found;
      return found;
    },
  };
};

const NO_FILE: FollowedText = { text: null, mode: 0 };

const isSame = (a: Stats | null, b: Stats | null): boolean =>
  a === null || b === null
    ? a === b
    : a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;

const read = (path: string, stats: Stats, maxBytes: number): string => {
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > maxBytes) throw new Error(`it has more than ${formatBytes(maxBytes)}`);
  return readFileSync(path, 'utf8');
};
