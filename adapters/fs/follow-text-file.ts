import { readFileSync, statSync, type BigIntStats } from 'node:fs';
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
  let seen: string | null = null;
  let last: FollowedText | null = null;
  return {
    readChange: () => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      const stamp = stampOf(stats);
      if (stamp === seen) return null;
      const found = { text: stats === undefined ? null : read(path, stats, maxBytes), mode: modeOf(stats) };
      seen = stats === undefined || now() - Number(stats.ctimeMs) > UNSETTLED_MS ? stamp : null;
      if (last !== null && last.text === found.text && last.mode === found.mode) return null;
      last = found;
      return found;
    },
  };
};

const stampOf = (stats: BigIntStats | undefined): string =>
  stats === undefined ? 'none' : [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');

const modeOf = (stats: BigIntStats | undefined): number => (stats === undefined ? 0 : Number(stats.mode & 0o777n));

const read = (path: string, stats: BigIntStats, maxBytes: number): string => {
  if (!stats.isFile()) throw new Error(`${path} is not a file`);
  if (stats.size > BigInt(maxBytes)) throw new Error(`${path} has more than ${formatBytes(maxBytes)}`);
  return readFileSync(path, 'utf8');
};
