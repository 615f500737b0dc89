/** Waiting, and the chance by which callers that failed together do not come back together. Handed in, as time is. */
export type Pause = {
  /** Resolves after the milliseconds, or rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
};
