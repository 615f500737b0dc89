import { exportJWK, importJWK, importPKCS8, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { TaskTokenVerifier } from './task-token-verifier.ts';
import { TASK_TOKEN_ALGORITHM, TASK_TOKEN_TYPE, verifyTaskToken, type TaskTokenClaims } from './verify-task-token.ts';

/**
 * Tokens for callbacks (§19.4): JWTs signed with Ed25519, so that a receiver elsewhere can verify them with a public key
 * alone. The key pairs follow from the secrets that sign addresses of resources, too.
 */
export type TaskTokens = TaskTokenVerifier & {
  /** `expiresAt` is milliseconds since the epoch, cut to seconds. */
  sign(claims: TaskTokenClaims, expiresAt: number): Promise<string>;
  /** The public halves, the newest first. */
  publicKeys(): Promise<readonly JWK[]>;
};

export type TaskTokenOptions = {
  /** The first signs, all verify. */
  readonly secrets: readonly [string, ...string[]];
  /** Milliseconds since the epoch. */
  now(): number;
};

/** Keeps the keys apart from all else that is made of the same secret. */
const PURPOSE = 'vcp-task-token-1';

type KeyPair = { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey; readonly publicJwk: JWK };

export const createTaskTokens = ({ secrets, now }: TaskTokenOptions): TaskTokens => {
  const made = new Map<number, Promise<KeyPair>>();
  const pairAt = (index: number): Promise<KeyPair> => {
    const pair = made.get(index) ?? keyPairOf(secrets[index] as string);
    made.set(index, pair);
    return pair;
  };

  const verifying = secrets.map((_, index) => async () => (await pairAt(index)).publicKey);

  return {
    sign: async ({ toolName, taskId }, expiresAt) => {
      const { privateKey } = await pairAt(0);
      return await new SignJWT()
        .setProtectedHeader({ alg: TASK_TOKEN_ALGORITHM, typ: TASK_TOKEN_TYPE })
        .setAudience(toolName)
        .setSubject(taskId)
        .setIssuedAt(Math.floor(now() / 1_000))
        .setExpirationTime(Math.floor(expiresAt / 1_000))
        .sign(privateKey);
    },
    verify: (token) => verifyTaskToken(token, verifying, now()),
    publicKeys: async () => (await Promise.all(secrets.map((_, index) => pairAt(index)))).map((pair) => pair.publicJwk),
  };
};

/** RFC 8410: what stands before the 32 bytes of a private key of Ed25519. */
const PKCS8_PREFIX = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

const keyPairOf = async (secret: string): Promise<KeyPair> => {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
  const seed = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(PURPOSE)));
  const der = btoa(String.fromCharCode(...PKCS8_PREFIX, ...seed));
  const pem = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----`;
  const whole = await importPKCS8(pem, TASK_TOKEN_ALGORITHM, { extractable: true });
  const { d: _, ...publicJwk } = await exportJWK(whole);
  const publicKey = await importJWK(publicJwk, TASK_TOKEN_ALGORITHM);
  return { privateKey: whole, publicKey: publicKey as CryptoKey, publicJwk };
};
