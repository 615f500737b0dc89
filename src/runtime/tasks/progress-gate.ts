import type { ProgressReport } from '../../protocol/stdio-frame.ts';

/**
 * Bounds how often the progress of each task is told: the first report goes at once, of those that follow within the period
 * the newest when it is over.
 */
export type ProgressGate = {
  /** Whether a report of this task would go at once. */
  isOpen(taskId: string): boolean;
  tell(taskId: string, report: ProgressReport, write: (report: ProgressReport) => void): void;
  /** Drops what still waits for this task. */
  forget(taskId: string): void;
};

type Waiting = {
  newest: { readonly report: ProgressReport; readonly write: (report: ProgressReport) => void } | null;
  timer: ReturnType<typeof setTimeout>;
};

export const createProgressGate = (periodMs: number): ProgressGate => {
  const closed = new Map<string, Waiting>();

  const close = (taskId: string): ReturnType<typeof setTimeout> =>
    setTimeout(() => {
      const waiting = closed.get(taskId);
      const next = waiting?.newest ?? null;
      if (waiting === undefined || next === null) {
        closed.delete(taskId);
        return;
      }
      waiting.newest = null;
      waiting.timer = close(taskId);
      next.write(next.report);
    }, periodMs);

  return {
    isOpen: (taskId) => !closed.has(taskId),
    tell: (taskId, report, write) => {
      const waiting = closed.get(taskId);
      if (waiting !== undefined) {
        waiting.newest = { report, write };
        return;
      }
      closed.set(taskId, { newest: null, timer: close(taskId) });
      write(report);
    },
    forget: (taskId) => {
      clearTimeout(closed.get(taskId)?.timer);
      closed.delete(taskId);
    },
  };
};
