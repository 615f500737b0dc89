import { createDeadline } from '../../lib/deadline.ts';
import type { Limits } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LanguageModel, ModelEvent } from '../../ports/language-model.ts';
import type { Pause } from '../../ports/pause.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import { retryDelay } from '../../runtime/retry-delay.ts';

export type RetryOptions = { readonly pause: Pause; readonly clock: Clock; readonly limits: Limits };

/**
 * The model, asked again after failures that may pass, within one bound of time for all attempts. A wait that the
 * upstream asks for is kept, unless it is longer than the longest wait: then its error is the answer, with that wait in
 * it. A stream is begun anew only while nothing of it was given out that an answer consists of.
 */
export const withRetries = (model: LanguageModel, options: RetryOptions): LanguageModel => ({
  ...model,
  complete: (request, { signal }) =>
    inTime(signal, options, (inner) => repeated(inner, options, () => model.complete(request, { signal: inner }))),
  listModels: ({ signal }) =>
    inTime(signal, options, (inner) => repeated(inner, options, () => model.listModels({ signal: inner }))),
  stream: async function* (request, { signal }) {
    const { limits, clock } = options;
    const deadline = createDeadline({ now: clock.now(), timeoutMs: limits.upstreamRequestMs, signal });
    try {
      for (let attempt = 1; ; attempt += 1) {
        let heldBack: ModelEvent[] | null = [];
        try {
          for await (const event of model.stream(request, { signal: deadline.signal })) {
            if (heldBack !== null && isPreface(event)) {
              heldBack.push(event);
              continue;
            }
            if (heldBack !== null) yield* heldBack;
            heldBack = null;
            yield event;
          }
          if (heldBack !== null) yield* heldBack;
          return;
        } catch (error) {
          if (heldBack === null) throw error;
          await waitBeforeNext(error, attempt, deadline.signal, options);
        }
      }
    } catch (error) {
      throw deadline.reason() === null ? error : stopped(signal, limits.upstreamRequestMs);
    } finally {
      deadline.dispose();
    }
  },
});

/** Events that are no part of the answer yet, and may be given for a later attempt instead. */
const isPreface = ({ type }: ModelEvent): boolean => type === 'notice' || type === 'start';

const inTime = async <T>(
  signal: AbortSignal,
  { limits, clock }: RetryOptions,
  work: (inner: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = createDeadline({ now: clock.now(), timeoutMs: limits.upstreamRequestMs, signal });
  try {
    return await work(deadline.signal);
  } catch (error) {
    throw deadline.reason() === null ? error : stopped(signal, limits.upstreamRequestMs);
  } finally {
    deadline.dispose();
  }
};

const repeated = async <T>(signal: AbortSignal, options: RetryOptions, ask: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      await waitBeforeNext(error, attempt, signal, options);
    }
  }
};

/** Waits as long as this failure asks for; throws it when there is to be no further attempt. */
const waitBeforeNext = async (
  error: unknown,
  attempt: number,
  signal: AbortSignal,
  { pause, limits }: RetryOptions,
): Promise<void> => {
  if (!(error instanceof UpstreamError) || !error.isRetryable) throw error;
  if (attempt >= limits.upstreamAttempts || signal.aborted) throw error;
  const bounds = {
    retryDelayMs: limits.upstreamRetryDelayMs,
    longestRetryDelayMs: limits.upstreamLongestRetryDelayMs,
  };
  const waitMs = error.retryAfterMs ?? retryDelay(attempt, bounds, pause.random());
  if (waitMs > limits.upstreamLongestRetryDelayMs) throw error;
  await pause.sleep(waitMs, signal);
};

const stopped = (caller: AbortSignal, requestMs: number): unknown =>
  caller.aborted
    ? (caller.reason as unknown)
    : new UpstreamError({
        code: 'UPSTREAM_TIMEOUT',
        message: `the upstream took longer than ${requestMs} ms`,
        isRetryable: true,
      });
