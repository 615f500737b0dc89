/**
 * The use of one idempotency key by one owner. The execution that holds it keeps its lease alive; when the call has a
 * result, the claim names it until it expires. Times are milliseconds since the epoch.
 */
export type KeyClaim = {
  readonly owner: string;
  readonly key: string;
  /** SHA-256 of what was asked for, so that another request under the same key is noticed. */
  readonly fingerprint: string;
  /** The execution that holds the key. */
  readonly invocationId: string;
  /** The server that runs it; for people who look into the store. */
  readonly claimedBy: string;
  readonly claimedAt: number;
  /** Until then the execution is taken to be alive. */
  readonly leaseUntil: number;
  readonly expiresAt: number;
  /** Whether the command was idempotent when the call was made, so that a lost one may be made again. */
  readonly isRepeatable: boolean;
  /** Null while the call runs. */
  readonly resultId: string | null;
};

/** Which claim is meant: a key may have been taken over since. */
export type HeldKey = Pick<KeyClaim, 'owner' | 'key' | 'invocationId'>;

/**
 * Who runs the call of an idempotency key, agreed between all that share the store: each change is one statement that
 * compares and sets. What the end of a call means for its key is written by `CallStore.saveCall`, with the result.
 */
export type IdempotencyStore = {
  /** Takes a key that is free, or whose use expired by `claimedAt`. False when it is in use. */
  claim(claim: KeyClaim): Promise<boolean>;
  /** Takes a key from the execution `from` if that has no result and its lease ran out by `claimedAt`. */
  takeOver(claim: KeyClaim, from: string): Promise<boolean>;
  find(owner: string, key: string): Promise<KeyClaim | null>;
  /** A sign of life. False when the key is not held any more, or its call has ended. */
  extend(held: HeldKey, until: Pick<KeyClaim, 'leaseUntil' | 'expiresAt'>): Promise<boolean>;
  /** Removes claims that expired by `now`, about `most` of them, and tells how many. */
  removeExpired(now: number, most: number): Promise<number>;
};

/** The key of one owner, as one text. */
export const keySlot = (owner: string, key: string): string => JSON.stringify([owner, key]);
