import { createRecentMap } from './recent-map.ts';

export type Rate = { readonly requests: number; readonly windowSeconds: number };

export type RateDecision = {
  readonly isAllowed: boolean;
  /** Requests that would be allowed at once after this one. */
  readonly remaining: number;
  /** Milliseconds until there is one more than `remaining`: after a refusal, until the next request is allowed. */
  readonly untilNextMs: number;
};

/**
 * Counts requests against rates, each under a name. `nowMs` is a whole number of milliseconds that never goes back.
 *
 * Each name is a leaky bucket (GCRA): it holds as many requests as the rate has, and leaks them evenly over the window.
 * That takes two numbers a name, and no timer. Levels are counted in requests times milliseconds, so that every sum is
 * of whole numbers and exact. What is refused is not counted.
 */
export type RateLimiter = { take(name: string, rate: Rate, nowMs: number): RateDecision };

type Bucket = { level: number; at: number };

/** Remembers at most `capacity` buckets, the most recently filled ones. */
export const createRateLimiter = (capacity: number): RateLimiter => {
  const buckets = createRecentMap<Bucket>(capacity);
  return {
    take: (name, { requests, windowSeconds }, nowMs) => {
      const unit = windowSeconds * 1_000;
      const full = requests * unit;
      // A rate that was changed begins with an empty bucket: the old level was counted in other units.
      const id = `${requests}/${windowSeconds} ${name}`;
      const bucket = buckets.get(id);
      const before = bucket === undefined ? 0 : Math.max(0, bucket.level - (nowMs - bucket.at) * requests);
      const isAllowed = before + unit <= full;
      const level = isAllowed ? before + unit : before;
      if (isAllowed) buckets.set(id, { level, at: nowMs });
      const remaining = Math.floor((full - level) / unit);
      return { isAllowed, remaining, untilNextMs: Math.ceil((level + (remaining + 1) * unit - full) / requests) };
    },
  };
};
