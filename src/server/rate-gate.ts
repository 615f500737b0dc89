import type { Context } from 'hono';
import type { Limits } from '../lib/limits.ts';
import { createRateLimiter } from '../lib/rate-limiter.ts';
import type { Identity } from '../ports/authenticator.ts';
import type { Clock } from '../ports/clock.ts';
import type { AppEnvironment } from './app-environment.ts';
import { problem } from './problem.ts';
import { rateLimitFields, wholeSeconds, type CountedRate } from './rate-limit-fields.ts';

/** Counts the requests of each key, and its calls of each tool, against the rates that the key has. */
export type RateGate = {
  /** Counts this request; the answer that refuses it, or null when it may go on. */
  refuseRequest(c: Context<AppEnvironment>): Response | null;
  /** Counts a call of this tool, before the tool is run. */
  refuseCall(c: Context<AppEnvironment>, toolName: string): Response | null;
  /** The same for a call that is no request of its own: why it is refused, in words, or null. */
  refuseSpokenCall(identity: Identity, toolName: string): string | null;
};

export const createRateGate = (clock: Clock, limits: Pick<Limits, 'trackedRates'>): RateGate => {
  const limiter = createRateLimiter(limits.trackedRates);

  const count = (c: Context<AppEnvironment>, counted: Omit<CountedRate, 'decision'>, subject: string) => {
    const decision = limiter.take(subject, counted.rate, Math.floor(clock.monotonic()));
    const all = [...(c.get('countedRates') ?? []), { ...counted, decision }];
    c.set('countedRates', all);
    // Before the answer is made: changing its headers afterwards would have it built a second time.
    for (const [name, value] of Object.entries(rateLimitFields(all))) c.header(name, value);
    if (decision.isAllowed) return null;
    const seconds = wholeSeconds(decision.untilNextMs);
    const { requests, windowSeconds } = counted.rate;
    const whose = counted.name === 'key' ? 'this key' : 'the calls of this tool by this key';
    return problem(c, {
      status: 429,
      code: 'RATE_LIMITED',
      detail: `the rate limit of ${whose} is used up (${requests} in ${windowSeconds} s); try again in ${seconds} s`,
      headers: { 'retry-after': String(seconds) },
    });
  };

  return {
    refuseRequest: (c) => {
      const { id, rateLimits } = c.get('identity');
      const rate = rateLimits?.all ?? null;
      return rate === null ? null : count(c, { name: 'key', rate }, id);
    },
    refuseCall: (c, toolName) => {
      const { id, rateLimits } = c.get('identity');
      const rate = rateLimits?.tools.get(toolName);
      return rate === undefined ? null : count(c, { name: 'tool', rate }, `${id} ${toolName}`);
    },
    refuseSpokenCall: ({ id, rateLimits }, toolName) => {
      const rate = rateLimits?.tools.get(toolName);
      if (rate === undefined) return null;
      const { isAllowed, untilNextMs } = limiter.take(`${id} ${toolName}`, rate, Math.floor(clock.monotonic()));
      return isAllowed ? null : `the rate limit of this tool is used up; try again in ${wholeSeconds(untilNextMs)} s`;
    },
  };
};
