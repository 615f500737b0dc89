/**
 * What host functions cost beside the fuel that instrumented code pays for any call of one, so that a unit buys about
 * the same time (roughly 0.7 ns) wherever it is spent. Measured, not derived; a flood of any of them ends out of fuel.
 */
export const FUEL_COSTS = {
  block: 1_500,
  /** A byte of a log line or of what is handed to a host function or back. */
  byte: 1,
  /** A call that is refused for want of a permission. */
  refusal: 3_000,
  /** A call that somebody outside the guest's thread has to answer. */
  hostCall: 50_000,
} as const;
