import { errors, jwtVerify, type CryptoKey } from 'jose';

/** What a token lets in: callbacks of one task of one plugin. */
export type TaskTokenClaims = { readonly toolName: string; readonly taskId: string };

export type TaskTokenVerdict =
  /** `expiresAt` is milliseconds since the epoch. */
  | { readonly verdict: 'valid'; readonly claims: TaskTokenClaims; readonly expiresAt: number }
  | { readonly verdict: 'expired' | 'forged' };

export const TASK_TOKEN_ALGORITHM = 'EdDSA';
export const TASK_TOKEN_TYPE = 'vcp-task+jwt';

/** Holds a token against the keys, one after the other; `now` is milliseconds since the epoch. */
export const verifyTaskToken = async (
  token: string,
  keys: readonly (() => Promise<CryptoKey>)[],
  now: number,
): Promise<TaskTokenVerdict> => {
  for (const keyOf of keys) {
    const judged = await verifyWith(token, await keyOf(), now);
    if (judged.verdict !== 'forged') return judged;
  }
  return { verdict: 'forged' };
};

const verifyWith = async (token: string, key: CryptoKey, now: number): Promise<TaskTokenVerdict> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [TASK_TOKEN_ALGORITHM],
      typ: TASK_TOKEN_TYPE,
      currentDate: new Date(now),
      requiredClaims: ['aud', 'sub', 'exp'],
    });
    const { aud, sub, exp } = payload;
    if (typeof aud !== 'string' || typeof sub !== 'string' || exp === undefined) return { verdict: 'forged' };
    return { verdict: 'valid', claims: { toolName: aud, taskId: sub }, expiresAt: exp * 1_000 };
  } catch (error) {
    // Expiry is looked at after the signature: it is told only of a token that was right.
    if (error instanceof errors.JWTExpired) return { verdict: 'expired' };
    if (error instanceof errors.JOSEError) return { verdict: 'forged' };
    throw error;
  }
};
