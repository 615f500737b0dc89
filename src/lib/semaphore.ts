/** Taken when the number of waiting callers has reached its bound. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

export type Semaphore = {
  /** Waits for a place, first come first served, and gives back the function that frees it. */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** Changes the number of places: more let waiting callers in at once, fewer take effect as holders leave. */
  resize(places: number): void;
  readonly running: number;
  readonly waiting: number;
};

/** At most `places` holders at once and `queue` callers waiting; one more rejects with `QueueFull`. */
export const createSemaphore = (initialPlaces: number, queue: number): Semaphore => {
  let places = initialPlaces;
  let running = 0;
  const waiters = new Set<() => void>();

  const fill = () => {
    for (const next of waiters) {
      if (running >= places) return;
      waiters.delete(next);
      running += 1;
      next();
    }
  };

  const release = () => {
    running -= 1;
    fill();
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
    resize: (wanted) => {
      if (wanted === places) return;
      places = wanted;
      fill();
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
