import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, each with the mode. Node's own recursive form never comes back where the
 * system refuses with "no such file" although the parent is there, as below `/proc`.
 */
export const makeDirectory = async (path: string, mode: number): Promise<void> => {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isDirectory(path))) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isDirectory(parent))) throw error;
    await makeDirectory(parent, mode);
    await makeDirectory(path, mode);
  }
};

const isDirectory = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
