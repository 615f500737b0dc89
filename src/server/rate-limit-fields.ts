import type { Rate, RateDecision } from '../lib/rate-limiter.ts';

/** A rate that a request was counted against; `name` tells clients which one. */
export type CountedRate = { readonly name: 'key' | 'tool'; readonly rate: Rate; readonly decision: RateDecision };

/**
 * The header fields that tell a client where it stands: the structured fields of the IETF draft (names, quotas and
 * windows; what remains, and seconds until there is more), and for the rate with the least left the three plain fields
 * that older drafts had and clients read (docs/decisions/0012).
 */
export const rateLimitFields = (counted: readonly CountedRate[]): Record<string, string> => {
  const tightest = counted.toSorted((a, b) => a.decision.remaining - b.decision.remaining)[0];
  if (tightest === undefined) return {};
  return {
    'ratelimit-policy': counted
      .map(({ name, rate }) => `"${name}";q=${rate.requests};w=${rate.windowSeconds}`)
      .join(', '),
    ratelimit: counted
      .map(({ name, decision }) => `"${name}";r=${decision.remaining};t=${wholeSeconds(decision.untilNextMs)}`)
      .join(', '),
    'ratelimit-limit': String(tightest.rate.requests),
    'ratelimit-remaining': String(tightest.decision.remaining),
    'ratelimit-reset': String(wholeSeconds(tightest.decision.untilNextMs)),
  };
};

/** Rounded up: a client that waits so long is not early. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1_000));
