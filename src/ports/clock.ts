/** Time, handed in so that nothing reads it behind the caller's back. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back, so durations are never negative. */
  monotonic(): number;
};
