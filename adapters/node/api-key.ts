import { randomBytes } from 'node:crypto';
import { keptSecret } from './kept-secret.ts';

/** The name of the file in the data directory that holds the generated key. */
export const KEY_FILE = 'api-key';

/** A new key: 256 random bits, so that its hash alone protects it. */
export const makeApiKey = (): string => `vcp_${randomBytes(32).toString('base64url')}`;

/** The configured key, or the one that the first start made and every later one reads. */
export const obtainApiKey = async (configured: string | undefined, dataDirectory: string): Promise<string> =>
  configured ?? (await keptSecret(dataDirectory, KEY_FILE, makeApiKey()));
