import { randomBytes } from 'node:crypto';
import { keptSecret } from './kept-secret.ts';

/** The name of the file in the data directory that holds the generated key. */
export const SIGNING_KEY_FILE = 'signing-key';

/** The configured keys for signed addresses, the newest first, or the one that the first start made. */
export const obtainSigningKeys = async (
  configured: readonly string[],
  dataDirectory: string,
): Promise<readonly [string, ...string[]]> => {
  const [first, ...older] = configured;
  if (first !== undefined) return [first, ...older];
  return [await keptSecret(dataDirectory, SIGNING_KEY_FILE, randomBytes(32).toString('base64url'))];
};
