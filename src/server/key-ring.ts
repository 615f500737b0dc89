import type { Authentication, Identity } from '../ports/authenticator.ts';
import type { ApiKeyEntry, ApiKeysFile } from '../protocol/api-keys.ts';

/** The keys of one reading of the file. */
export type KeyRing = {
  /** Whether the server's own key opens it too. */
  readonly defaultKey: boolean;
  readonly size: number;
  /** Whose key has this SHA-256, in lower-case hexadecimal digits; `nowMs` is the time since the epoch. */
  find(sha256: string, nowMs: number): Authentication;
  /** The same by the id of the key. */
  get(id: string, nowMs: number): Authentication;
};

export const NO_KEYS: ApiKeysFile = { version: 1, defaultKey: true, keys: [] };

/**
 * Finds keys by their hash. Such a search may take a time that depends on the hash: a key has 256 random bits, so
 * neither parts of its hash nor anything that can be computed of guesses leads back to it (docs/decisions/0011).
 */
export const createKeyRing = ({ defaultKey, keys }: ApiKeysFile): KeyRing => {
  const held = new Map(keys.map((entry) => [entry.sha256, holdKey(entry)]));
  const byId = new Map([...held.values()].map((key) => [key.identity.id, key]));
  const judge = (key: HeldKey | undefined, nowMs: number): Authentication => {
    if (key === undefined) return null;
    if (key.isRevoked) return 'revoked';
    return nowMs >= key.expiresAt ? 'expired' : key.identity;
  };
  return {
    defaultKey,
    size: held.size,
    find: (sha256, nowMs) => judge(held.get(sha256), nowMs),
    get: (id, nowMs) => judge(byId.get(id), nowMs),
  };
};

type HeldKey = { readonly identity: Identity; readonly isRevoked: boolean; readonly expiresAt: number };

const holdKey = (entry: ApiKeyEntry): HeldKey => ({
  identity: {
    id: entry.id,
    name: entry.name,
    roles: new Set(entry.roles),
    tools: entry.tools === null ? null : new Set(entry.tools),
    rateLimits: { all: entry.rateLimit, tools: new Map(Object.entries(entry.toolRateLimits)) },
  },
  isRevoked: entry.revokedAt !== undefined,
  expiresAt: entry.expiresAt === undefined ? Infinity : Date.parse(entry.expiresAt),
});
