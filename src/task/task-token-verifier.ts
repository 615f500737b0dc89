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
  const keys = publicKeys.map((jwk) => {
    let key: Promise<CryptoKey> | null = null;
    return () => (key ??= importJWK(jwk, TASK_TOKEN_ALGORITHM) as Promise<CryptoKey>);
  });
  return { verify: (token) => verifyTaskToken(token, keys, now()) };
};
