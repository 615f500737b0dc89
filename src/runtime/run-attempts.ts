import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import type { Deadline } from '../lib/deadline.ts';
import type { Limits } from '../lib/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Pause } from '../ports/pause.ts';
import { TransportError } from '../ports/transport.ts';
import type { ToolError } from '../protocol/error.ts';
import type { Warning } from '../protocol/warning.ts';
import { failedOutcome, failureOfFault } from './call-failure.ts';
import { retryDelay } from './retry-delay.ts';

/** What one attempt came to, and whether another one might come to more. */
export type Attempt = { readonly outcome: CallOutcome; readonly isTransient: boolean };

/** Transport faults that another attempt would meet again, or that are not the call's to overcome. */
const LASTING: ReadonlySet<string> = new Set(['INVALID_TOOL_RESULT', 'FORBIDDEN']);

/** A full queue is not transient: repeating inside would keep the caller waiting and the queue full. */
export const isTransientFault = (error: unknown): boolean =>
  error instanceof TransportError &&
  (error.code === 'TRANSPORT_FAILURE' || (error.retryable && !LASTING.has(error.code)));

/** A plugin's own word that its failure passes. Arguments that did not fit will not fit the next time. */
export const isTransientError = (status: string, error: ToolError | null): boolean =>
  status === 'error' && error !== null && error.retryable && error.category !== 'validation';

export type AttemptedCall = {
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  /** Attempts that the call may take in all. */
  readonly most: number;
};

export type AttemptDependencies = {
  readonly clock: Clock;
  readonly pause: Pause;
  /** One whose lines carry the ids of the call. */
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'retryDelayMs' | 'longestRetryDelayMs'>;
};

/**
 * Runs a call until an attempt succeeds, fails for good, or is the last one. A wait that could not end before the
 * call's deadline is not begun: its caller gets the failure at hand instead of a timeout that says less. An attempt is null
 * when its version of the plugin is not served any more: before the first one the call may begin on another version
 * (null); a later one is not made, because what has begun ends on the version that it began with.
 */
export const runAttempts = async (
  { deadline, timeoutMs, most }: AttemptedCall,
  attempt: (number: number) => Promise<Attempt | null>,
  { clock, pause, logger, limits }: AttemptDependencies,
): Promise<CallOutcome | null> => {
  const failed: string[] = [];
  let last: CallOutcome | null = null;
  for (let number = 1; ; number += 1) {
    const made = await attempt(number);
    if (made === null) return last === null ? null : withFailed(last, failed.slice(0, -1));
    const { outcome, isTransient } = made;
    last = outcome;
    const delayMs = retryDelay(number, limits, pause.random());
    if (!isTransient || number >= most || clock.now() + delayMs >= deadline.at) return withFailed(outcome, failed);
    const errorCode = outcome.error?.code ?? 'INTERNAL_ERROR';
    logger.warn('call.retried', { attempt: number, errorCode, delayMs });
    failed.push(errorCode);
    try {
      await pause.sleep(delayMs, deadline.signal);
    } catch (error) {
      return withFailed(failedOutcome(...failureOfFault(error, deadline, timeoutMs)), failed);
    }
  }
};

const withFailed = (outcome: CallOutcome, failed: readonly string[]): CallOutcome => {
  if (failed.length === 0) return outcome;
  const retried: Warning = {
    code: 'RETRIED',
    message: `${failed.length === 1 ? 'an earlier attempt' : `${failed.length} earlier attempts`} failed: ${failed.join(', ')}`,
    target: null,
    details: { codes: [...failed] },
  };
  return { ...outcome, warnings: [...outcome.warnings, retried] };
};
