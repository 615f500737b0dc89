import { importJWK, type CryptoKey, type JWK } from 'jose';
import { TASK_TOKEN_ALGORITHM, verifyTaskToken, type TaskTokenVerdict } from './verify-task-token.ts';

export type TaskTokenVerifier = { verify(token: string): Promise<TaskTokenVerdict> };

export type TaskTokenVerifierOptions = {
  /** As `TaskTokens.publicKeys` gives them. */
  readonly publicKeys: readonly JWK[];
  /** Milliseconds since the epoch. */
  now(): number;
};

/** Verifies tokens of callbacks where the secrets that sign them must not be. */
export const createTaskTokenVerifier = ({ publicKeys, now }: TaskTokenVerifierOptions): TaskTokenVerifier => {
  const imported = new Map<JWK, Promise<CryptoKey>>();
  const keyOf = (jwk: JWK): Promise<CryptoKey> => {
    const key = imported.get(jwk) ?? (importJWK(jwk, TASK_TOKEN_ALGORITHM) as Promise<CryptoKey>);
    imported.set(jwk, key);
    return key;
  };
  const keys = publicKeys.map((jwk) => () => keyOf(jwk));
  return { verify: (token) => verifyTaskToken(token, keys, now()) };
};
