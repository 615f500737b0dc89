import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../fs/make-directory.ts';

/** Characters below which a file holds no secret but what is left of one. */
const SHORTEST = 16;

/** The secret of that name in the data directory, which the first start makes. Only its owner may read the file. */
export const keptSecret = async (dataDirectory: string, name: string, fresh: string): Promise<string> => {
  await makeDirectory(dataDirectory, 0o700);
  const path = join(dataDirectory, name);
  const written = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(written, 'wx', 0o600);
    try {
      await file.writeFile(`${fresh}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link appears whole, and only once: of two servers that start at once, one makes the secret and the other reads it.
    await link(written, path);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(written, { force: true });
  }
  const kept = (await readFile(path, 'utf8')).trim();
  if (kept.length < SHORTEST) throw new Error(`${path} holds no usable key; delete the file to have a new one made`);
  return kept;
};
