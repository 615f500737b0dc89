import type { MissedPolicy } from '../protocol/schedule.ts';
import type { DueTimes } from './due-times.ts';

/** Due times that passed without a run: the first of them, and how many. */
export type MissedTimes = { readonly firstAt: number; readonly times: number };

/** What is to be done about a schedule that is due. */
export type Stock = {
  /** The due time that is to run now, if any. */
  readonly runAt: number | null;
  readonly missed: MissedTimes | null;
  /** The due time after all of these; null when there is none. */
  readonly nextAt: number | null;
};

export type StockRules = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly policy: MissedPolicy;
  /** Milliseconds after which a due time counts as missed. */
  readonly lateMs: number;
};

/** How many missed times are counted one by one: looking for each takes a part of a millisecond. */
const COUNTED = 100;

/**
 * Looks at the due times from `dueAt`, which is not after now, up to now. Only the latest of them can still run: by right
 * when it is not late, or as the one run for all that were missed. The others have been missed.
 */
export const takeStock = (times: DueTimes, dueAt: number, { now, policy, lateMs }: StockRules): Stock => {
  const passed = passedTimes(times, dueAt, now);
  const nextAt = times.after(passed.latestAt);
  const isLate = now - passed.latestAt > lateMs;
  if (isLate && policy === 'skip') return { runAt: null, missed: { firstAt: dueAt, times: passed.count }, nextAt };
  const missed = passed.count > 1 ? { firstAt: dueAt, times: passed.count - 1 } : null;
  return { runAt: passed.latestAt, missed, nextAt };
};

const passedTimes = (times: DueTimes, dueAt: number, now: number) => {
  let latestAt = dueAt;
  for (let count = 1; count < COUNTED; count += 1) {
    const next = times.after(latestAt);
    if (next === null || next > now) return { latestAt, count };
    latestAt = next;
  }
  return { latestAt: Math.max(latestAt, times.upTo(now) ?? latestAt), count: COUNTED };
};
