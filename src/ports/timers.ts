/** Milliseconds that no timer of any runtime takes more of. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Timers, handed in so that tests need not wait. */
export type Timers = {
  /** Runs `action` once after the milliseconds, at most `LONGEST_TIMER_MS`; gives what calls it off. */
  after(ms: number, action: () => void): () => void;
};

/** Those of whatever runtime this is. */
export const systemTimers: Timers = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
