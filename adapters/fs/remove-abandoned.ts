import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** No call may take longer than a day, so what has not changed for longer belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 25 * 60 * 60 * 1_000;

/**
 * Makes the directory, and removes what killed processes of ours left in it. What is younger may be in use by another server
 * on the same data directory, also when this one is about to find its port taken.
 */
export const removeAbandoned = async (
  directory: string,
  isOurs: (name: string) => boolean = () => true,
): Promise<void> => {
  await mkdir(directory, { recursive: true });
  for (const name of await readdir(directory)) {
    if (!isOurs(name)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true });
  }
};
