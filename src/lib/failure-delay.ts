import { createRecentMap } from './recent-map.ts';

export type FailureDelayOptions = {
  /** Failures that cost nothing. */
  readonly free: number;
  /** Milliseconds of the longest delay. */
  readonly longestMs: number;
  /** Sources that are remembered, the most recently failed ones. */
  readonly capacity: number;
};

export type FailureDelay = {
  /** Milliseconds that this source is to wait before it tries again; 0 while its failures are free. */
  readonly waitMs: number;
  /** Whether this failure began the wait. Those that come during one are not counted. */
  readonly isNew: boolean;
  /** Failures that are held against the source. */
  readonly failures: number;
};

const FIRST_MS = 1_000;
/** Milliseconds, after the last wait, in which one failure is forgotten. */
const FORGET_MS = 60_000;

type Source = { failures: number; waitsUntil: number };

/**
 * How long a source that keeps failing has to wait: after the free ones each failure doubles the wait, from a second
 * to the longest. It is forgotten minute by minute, so nobody is shut out for good.
 */
export const createFailureDelay = ({ free, longestMs, capacity }: FailureDelayOptions) => {
  const sources = createRecentMap<Source>(capacity);
  // Beyond this, a failure would lengthen nothing but the time of forgetting.
  const most = free + 1 + Math.max(0, Math.ceil(Math.log2(longestMs / FIRST_MS)));
  return {
    /** Counts a failure of this source. `nowMs` never goes back. */
    fail: (source: string, nowMs: number): FailureDelay => {
      const known = sources.get(source) ?? { failures: 0, waitsUntil: nowMs };
      if (nowMs < known.waitsUntil) return { waitMs: known.waitsUntil - nowMs, isNew: false, failures: known.failures };
      const forgotten = Math.floor((nowMs - known.waitsUntil) / FORGET_MS);
      const failures = Math.min(most, Math.max(0, known.failures - forgotten) + 1);
      const waitMs = failures <= free ? 0 : Math.min(longestMs, FIRST_MS * 2 ** (failures - free - 1));
      sources.set(source, { failures, waitsUntil: nowMs + waitMs });
      return { waitMs, isNew: waitMs > 0, failures };
    },
  };
};
