import type { Guest } from '../../../src/sandbox/guest/prepare-guest.ts';

/** Instances that were made ahead of their calls, at most one a module. */
export type PreparedGuests = {
  /** Makes one, unless one waits already. What cannot be made is left to the call to find out. */
  prepare(digest: string): Promise<boolean>;
  /** Hands out the one that waits, or a new one. */
  take(digest: string): Promise<Guest>;
  forget(digest: string): void;
};

/** Of the modules that were used last. */
const MOST_PREPARED = 4;
/** Memory of all that wait. Larger ones are made when they are called. */
const PREPARED_BYTES = 32 * 1024 * 1024;

/** `make` gives an instance that nobody has used; each is handed out once. */
export const createPreparedGuests = (make: (digest: string) => Promise<Guest>): PreparedGuests => {
  /** The one that was used longest ago first. */
  const waiting = new Map<string, Guest>();

  const heldBytes = (): number => [...waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  const trim = () => {
    for (const digest of waiting.keys()) {
      if (waiting.size <= MOST_PREPARED && heldBytes() <= PREPARED_BYTES) return;
      waiting.delete(digest);
    }
  };

  return {
    prepare: async (digest) => {
      if (waiting.has(digest)) return true;
      const guest = await make(digest).catch(() => null);
      if (guest === null) return false;
      waiting.set(digest, guest);
      trim();
      return waiting.has(digest);
    },
    take: async (digest) => {
      const guest = waiting.get(digest);
      waiting.delete(digest);
      return guest ?? (await make(digest));
    },
    forget: (digest) => void waiting.delete(digest),
  };
};
