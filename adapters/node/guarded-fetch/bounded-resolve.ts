import type { LookupAddress } from 'node:dns';
import { createSemaphore, QueueFull } from '../../../src/lib/semaphore.ts';

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** Milliseconds are those that a name waits for its turn; then it is as good as one that got no answer. */
export type ResolveBounds = { readonly atOnce: number; readonly queue: number; readonly waitMs: number };

/**
 * A resolver with a bound on the look-ups in flight. The system's `getaddrinfo` holds one of the few threads of libuv,
 * which files and compression need as well, for as long as a name server likes to be silent, and nothing can call it
 * back: names that a stranger chose must not take all of them. A place is free when its look-up is over, not when its
 * caller has given up.
 */
export const boundedResolve = (resolve: ResolveName, { atOnce, queue, waitMs }: ResolveBounds): ResolveName => {
  const places = createSemaphore(atOnce, queue);

  const enter = async (name: string): Promise<() => void> => {
    try {
      return await places.acquire(AbortSignal.timeout(waitMs));
    } catch (error) {
      const why = error instanceof QueueFull ? error.message : `${atOnce} look-ups of names have not ended`;
      throw Object.assign(new Error(`${name} was not looked up: ${why}`), { code: 'ETIMEDOUT' });
    }
  };

  return async (name) => {
    const release = await enter(name);
    try {
      return await resolve(name);
    } finally {
      release();
    }
  };
};
