import { descendants, openDescriptors, residentBytes } from '../lib/process-stats.ts';

const MEBIBYTE = 1024 * 1024;

/** What a process holds; RSS in MiB. */
export type Holdings = Record<'RSS MiB' | 'open descriptors' | 'child processes', number>;

/** How much more than before a settled server may hold: 10,000 stored results fill caches, they leave no handles. */
const ALLOWED_GROWTH: Holdings = { 'RSS MiB': 96, 'open descriptors': 8, 'child processes': 1 };

export function readHoldings(pid: number): Holdings {
  return {
    'RSS MiB': Math.round(residentBytes(pid) / MEBIBYTE),
    'open descriptors': openDescriptors(pid),
    'child processes': descendants(pid).length,
  };
}

/** The kinds of which the process holds more than is allowed. */
export function findGrowth(before: Holdings, after: Holdings): (keyof Holdings)[] {
  const kinds = Object.keys(ALLOWED_GROWTH) as (keyof Holdings)[];
  return kinds.filter((kind) => after[kind] - before[kind] > ALLOWED_GROWTH[kind]);
}
