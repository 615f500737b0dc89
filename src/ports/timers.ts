/** Timers, handed in so that tests need not wait. */
export type Timers = {
  /** Runs `action` once after the milliseconds, at most 2^31 - 1; gives what calls it off. */
  after(ms: number, action: () => void): () => void;
};
