import { keySlot, type IdempotencyStore, type KeyClaim } from '../../src/ports/idempotency-store.ts';

/** Claims by owner and key; shared with the call store, which writes what the end of a call means for its key. */
export type MemoryKeyClaims = Map<string, KeyClaim>;

/** Idempotency keys of one process. */
export const createMemoryIdempotencyStore = (claims: MemoryKeyClaims): IdempotencyStore => {
  const slotOf = ({ owner, key }: Pick<KeyClaim, 'owner' | 'key'>) => keySlot(owner, key);

  return {
    claim: async (claim) => {
      const held = claims.get(slotOf(claim));
      if (held !== undefined && held.expiresAt > claim.claimedAt) return false;
      claims.set(slotOf(claim), claim);
      return true;
    },
    takeOver: async (claim, from) => {
      const held = claims.get(slotOf(claim));
      if (held?.invocationId !== from || held.resultId !== null || held.leaseUntil > claim.claimedAt) return false;
      claims.set(slotOf(claim), claim);
      return true;
    },
    find: async (owner, key) => claims.get(keySlot(owner, key)) ?? null,
    extend: async (held, { leaseUntil, expiresAt }) => {
      const claim = claims.get(slotOf(held));
      if (claim?.invocationId !== held.invocationId || claim.resultId !== null) return false;
      claims.set(slotOf(held), { ...claim, leaseUntil, expiresAt });
      return true;
    },
    removeExpired: async (now, most) => {
      const expired = [...claims].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, most);
      for (const [slot] of expired) claims.delete(slot);
      return expired.length;
    },
  };
};
