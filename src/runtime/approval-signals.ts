/** Wakes those that wait for an approval in this process, so that they need not look so often. */
export type ApprovalSignals = {
  /** Resolves after the milliseconds, when it is woken, or when the signal aborts. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
  wake(id: string): void;
  wakeAll(): void;
};

export const createApprovalSignals = (): ApprovalSignals => {
  const waiting = new Map<string, () => void>();
  return {
    wait: (id, ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        waiting.set(id, done);
      }),
    wake: (id) => waiting.get(id)?.(),
    wakeAll: () => {
      for (const done of waiting.values()) done();
    },
  };
};
