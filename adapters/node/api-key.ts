import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../fs/make-directory.ts';

/** The name of the file in the data directory that holds the generated key. */
export const KEY_FILE = 'api-key';

/** A new key: 256 random bits, so that its hash alone protects it. */
export const makeApiKey = (): string => `vcp_${randomBytes(32).toString('base64url')}`;

/** The configured key, or the one that the first start made and every later one reads. Only its owner may read the file. */
export const obtainApiKey = async (configured: string | undefined, dataDirectory: string): Promise<string> => {
  if (configured !== undefined) return configured;
  await makeDirectory(dataDirectory, 0o700);
  const path = join(dataDirectory, KEY_FILE);
  const fresh = makeApiKey();
  const written = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(written, 'wx', 0o600);
    try {
      await file.writeFile(`${fresh}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link appears whole, and only once: of two servers that start at once, one makes the key and the other reads it.
    await link(written, path);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(written, { force: true });
  }
  const kept = (await readFile(path, 'utf8')).trim();
  if (kept.length < 16) throw new Error(`${path} holds no usable key; delete the file to have a new one made`);
  return kept;
};
