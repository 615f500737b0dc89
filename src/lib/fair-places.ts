import { QueueFull } from './semaphore.ts';

export type FairPlaces = {
  /**
   * Waits for a place, and gives back the function that frees it. Rejects with the signal's reason, or with `QueueFull`.
   */
  acquire(group: string, signal: AbortSignal): Promise<() => void>;
};

type Waiter = { enter(): void; refuse(): void };

/**
 * At most `places` holders at once and `queue` callers waiting, as with a semaphore, but no group can take what there
 * is from the others: it never has all places, groups that wait take turns, and in a full queue the last of the longest
 * line makes room for a group with a shorter one.
 */
export const createFairPlaces = (places: number, queue: number): FairPlaces => {
  const mostOfGroup = Math.max(1, places - 1);
  const held = new Map<string, number>();
  /** The group whose turn is next first. A group without waiters is not in it. */
  const lines = new Map<string, Set<Waiter>>();
  let running = 0;
  let waiting = 0;

  const fits = (group: string): boolean => running < places && (held.get(group) ?? 0) < mostOfGroup;

  const hold = (group: string): void => {
    running += 1;
    held.set(group, (held.get(group) ?? 0) + 1);
  };

  const leave = (group: string, waiter: Waiter): void => {
    const line = lines.get(group);
    if (!line?.delete(waiter)) return;
    waiting -= 1;
    if (line.size === 0) lines.delete(group);
  };

  /** Lets in who can be, one of each group in turn. */
  const fill = (): void => {
    for (const [group, line] of lines) {
      if (running >= places) return;
      if (!fits(group)) continue;
      const next = line.values().next().value as Waiter;
      leave(group, next);
      // Behind all others; this loop comes to it again.
      if (line.size > 0) {
        lines.delete(group);
        lines.set(group, line);
      }
      hold(group);
      next.enter();
    }
  };

  const releaseOnce = (group: string) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      running -= 1;
      const left = (held.get(group) ?? 1) - 1;
      if (left === 0) held.delete(group);
      else held.set(group, left);
      fill();
    };
  };

  const makeRoom = (group: string): boolean => {
    if (waiting < queue) return true;
    let longest: Set<Waiter> | undefined;
    for (const line of lines.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    // Less than two more, and the other group would be the one that is treated worse.
    if (longest === undefined || longest.size < (lines.get(group)?.size ?? 0) + 2) return false;
    [...longest].at(-1)?.refuse();
    return true;
  };

  return {
    acquire: (group, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (fits(group)) {
        hold(group);
        return Promise.resolve(releaseOnce(group));
      }
      const full = () => new QueueFull(`${queue} calls are waiting already`);
      if (!makeRoom(group)) return Promise.reject(full());
      return new Promise((resolve, reject) => {
        const give = (error: Error) => {
          leave(group, waiter);
          signal.removeEventListener('abort', onAbort);
          reject(error);
        };
        const onAbort = () => give(signal.reason as Error);
        const waiter: Waiter = {
          enter: () => {
            signal.removeEventListener('abort', onAbort);
            resolve(releaseOnce(group));
          },
          refuse: () => give(full()),
        };
        const line = lines.get(group) ?? new Set();
        lines.set(group, line.add(waiter));
        waiting += 1;
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
};
