/** Bytes of log lines that one run may leave; what comes after is dropped and counted. */
export type LogBudget = {
  limit(bytes: number): void;
  /** Whether a line of so many bytes is kept. After the first that is not, none is: a log with gaps misleads. */
  admit(bytes: number): boolean;
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
      if (droppedBytes > 0 || bytes > leftBytes) {
        droppedBytes += bytes;
        return false;
      }
      leftBytes -= bytes;
      return true;
    },
    get droppedBytes() {
      return droppedBytes;
    },
  };
};
