import type { KeyRole, RateLimit } from '../protocol/api-keys.ts';

export type Role = KeyRole;

/** Whom a key stands for. `id` owns what its calls leave behind; `tools` null means all tools. */
export type Identity = {
  readonly id: string;
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  readonly tools: ReadonlySet<string> | null;
  /** How often it may come; what is left out is not limited. */
  readonly rateLimits?: IdentityRateLimits;
};

export type IdentityRateLimits = {
  /** Of all its requests together. */
  readonly all: RateLimit | null;
  /** Of its calls of one tool, by the tool's name. */
  readonly tools: ReadonlyMap<string, RateLimit>;
};

/** A key that was right once. Only who has it is told so, so this gives nothing away. */
export type FormerKey = 'expired' | 'revoked';

/** Tells who a bearer key belongs to, in a time that does not depend on how much of it is right; null: nobody. */
export type Authenticator = { authenticate(key: string): Promise<Authentication> | Authentication };
/** Whom the id of a key stands for now; for what is done when nobody is there to show the key. */
export type Identities = { identify(id: string): Authentication };
export type Authentication = Identity | FormerKey | null;
