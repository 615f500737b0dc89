import { LOG_LINE_BYTES } from '../../ports/wasm-sandbox.ts';

/** Bytes of log lines that one run may leave; what comes after is dropped and counted. */
export type LogBudget = {
  limit(bytes: number): void;
  /**
   * Whether a line whose text has so many bytes is kept; it counts `LOG_LINE_BYTES` more. After the first that is not,
   * none is: a log with gaps misleads.
   */
  admit(bytes: number): boolean;
  /** Counted as kept lines are. */
  readonly droppedBytes: number;
};

export const createLogBudget = (): LogBudget => {
  let leftBytes = 0;
  let droppedBytes = 0;
  return {
    limit: (bytes) => {
      leftBytes = bytes;
    },
    admit: (bytes) => {
      const counted = bytes + LOG_LINE_BYTES;
      if (droppedBytes > 0 || counted > leftBytes) {
        droppedBytes += counted;
        return false;
      }
      leftBytes -= counted;
      return true;
    },
    get droppedBytes() {
      return droppedBytes;
    },
  };
};
