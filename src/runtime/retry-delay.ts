import type { Limits } from '../lib/limits.ts';

/**
 * Milliseconds to wait after attempt number `failed`: anything from nothing to a bound that doubles with each attempt.
 * The whole range is used (full jitter), so that calls which failed together spread out instead of returning together.
 */
export const retryDelay = (
  failed: number,
  { retryDelayMs, longestRetryDelayMs }: Pick<Limits, 'retryDelayMs' | 'longestRetryDelayMs'>,
  random: number,
): number => Math.round(random * Math.min(longestRetryDelayMs, retryDelayMs * 2 ** (failed - 1)));
