import { monotonicFactory } from 'ulid';
import { ID_PREFIXES, type IdKind } from '../protocol/ids.ts';

/** Ids from one monotonic ULID factory: they increase within a process, also when the clock goes back. */
export const createUlidIds = (now: () => number): { next(kind: IdKind): string } => {
  const next = monotonicFactory(createRandomPool());
  return { next: (kind) => ID_PREFIXES[kind] + next(now()) };
};

const POOL_BYTES = 1_024;

/**
 * Numbers from 0 to 1 out of the system's secure random source, drawn in bulk: asking it for one byte at a time, as
 * the factory would, costs more than all else about an id.
 */
const createRandomPool = (): (() => number) => {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used] as number;
    used += 1;
    return byte / 256;
  };
};
