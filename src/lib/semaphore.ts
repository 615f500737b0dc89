/** Taken when the number of waiting callers has reached its bound. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

export type Semaphore = {
  /** Waits for a place, first come first served, and gives back the function that frees it. */
  acquire(signal: AbortSignal): Promise<() => void>;
  readonly running: number;
  readonly waiting: number;
};

/** At most `places` holders at once and `queue` callers waiting; one more rejects with `QueueFull`. */
export const createSemaphore = (places: number, queue: number): Semaphore => {
  let running = 0;
  const waiters = new Set<() => void>();

  const release = () => {
    const [next] = waiters;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiters.delete(next);
    next();
  };

  const releaseOnce = () => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      release();
    };
  };

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiters.size;
    },
    acquire: (signal) => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (running < places) {
        running += 1;
        return Promise.resolve(releaseOnce());
      }
      if (waiters.size >= queue) return Promise.reject(new QueueFull(`${queue} calls are waiting already`));
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiters.delete(enter);
          reject(signal.reason as Error);
        };
        const enter = () => {
          signal.removeEventListener('abort', onAbort);
          resolve(releaseOnce());
        };
        waiters.add(enter);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
};
