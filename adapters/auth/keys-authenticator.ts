import { hash, timingSafeEqual } from 'node:crypto';
import type { Authenticator, Identities, Identity } from '../../src/ports/authenticator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { DEFAULT_KEY_ID, KeyRole } from '../../src/protocol/api-keys.ts';
import type { KeyRing } from '../../src/server/key-ring.ts';

/**
 * The server's own key, which may do everything, and the keys of the file. The own key may be one that somebody made
 * up, so its hash is compared in a time that tells nothing; the others are found by their hash.
 */
export const createKeysAuthenticator = (
  ownKey: string,
  keys: { current(): KeyRing },
  clock: Clock,
): Authenticator & Identities => {
  const expected = hash('sha256', ownKey, 'buffer');
  const own: Identity = { id: DEFAULT_KEY_ID, name: 'default', roles: new Set(KeyRole.options), tools: null };
  return {
    authenticate: (given) => {
      const sha256 = hash('sha256', given, 'buffer');
      const ring = keys.current();
      const isOwn = timingSafeEqual(sha256, expected);
      // What the file says of a key goes before its being the own one: it says more.
      const found = ring.find(sha256.toString('hex'), clock.now());
      if (found !== null || !isOwn) return found;
      return ring.defaultKey ? own : 'revoked';
    },
    identify: (id) => {
      const ring = keys.current();
      if (id !== own.id) return ring.get(id, clock.now());
      // As above: the file may speak of the own key too.
      return ring.find(expected.toString('hex'), clock.now()) ?? (ring.defaultKey ? own : 'revoked');
    },
  };
};
