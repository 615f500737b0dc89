/** The highest value of a figure in the recent past; it is forgotten one to two windows after it was reached. */
export type RecentPeak = {
  record(value: number, now: number): void;
  /** `now` is milliseconds of the same monotonic clock. */
  at(now: number): number;
};

export const createRecentPeak = (windowMs: number): RecentPeak => {
  let startedAt = Number.NEGATIVE_INFINITY;
  let current = 0;
  let previous = 0;

  const advance = (now: number) => {
    if (now - startedAt < windowMs) return;
    previous = now - startedAt < 2 * windowMs ? current : 0;
    current = 0;
    startedAt = now;
  };

  return {
    record: (value, now) => {
      advance(now);
      current = Math.max(current, value);
    },
    at: (now) => {
      advance(now);
      return Math.max(current, previous);
    },
  };
};
