/** Why a call had to stop before it was done. */
export type StopReason = 'timeout' | 'cancelled';

/** A bounded wait: `signal` aborts at the deadline or when the caller's own signal does; `reason()` says which. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; later after each time that it was held. */
  readonly at: number;
  reason(): StopReason | null;
  /** Stops the time, not the caller's own signal; what is left counts on from `resume`. `now` is as in `at`. */
  hold(now: number): void;
  resume(now: number): void;
  /** Ends the wait now, as the caller's own signal would. Its signal aborts also after `dispose`. */
  cancel(): void;
  /** The same; but it is the server that stops, not the caller. */
  shutDown(): void;
  /** Whether that is what ended it. */
  isShutDown(): boolean;
  /** Clears the timer. Always call it, in `finally`. */
  dispose(): void;
};

export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason === 'timeout' ? 'the deadline was reached' : 'the call was cancelled');
    this.reason = reason;
  }
}

/** `now` and `timeoutMs` are milliseconds. A caller's signal that has aborted already stops the call at once. */
export const createDeadline = (options: {
  readonly now: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}): Deadline => {
  const controller = new AbortController();
  let reason: StopReason | null = null;
  let isShutDown = false;
  const stop = (why: StopReason) => {
    if (reason !== null) return;
    reason = why;
    controller.abort(new DeadlineReached(why));
  };
  let at = options.now + options.timeoutMs;
  let timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  let leftMs: number | null = null;
  const onCallerAbort = () => stop('cancelled');
  if (options.signal?.aborted === true) onCallerAbort();
  else options.signal?.addEventListener('abort', onCallerAbort, { once: true });

  return {
    signal: controller.signal,
    get at() {
      return at;
    },
    reason: () => reason,
    hold: (now) => {
      if (leftMs !== null) return;
      clearTimeout(timer);
      leftMs = Math.max(0, at - now);
    },
    resume: (now) => {
      if (leftMs === null) return;
      at = now + leftMs;
      timer = setTimeout(() => stop('timeout'), leftMs);
      leftMs = null;
    },
    cancel: () => stop('cancelled'),
    shutDown: () => {
      isShutDown ||= reason === null;
      stop('cancelled');
    },
    isShutDown: () => isShutDown,
    dispose: () => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onCallerAbort);
    },
  };
};

/** Why a call's signal aborted; an abort that is not a deadline's is somebody's wish. */
export const stopReasonOf = (signal: AbortSignal): StopReason =>
  signal.reason instanceof DeadlineReached ? signal.reason.reason : 'cancelled';

/**
 * Settles as the work does, or rejects with the signal's reason as soon as it aborts, whatever the work does then.
 * Work that loses the race is not awaited, and its later failure is not an unhandled rejection.
 */
export const raceWithSignal = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      work.catch(() => undefined);
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error as Error);
      },
    );
  });
