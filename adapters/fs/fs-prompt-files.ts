import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { formatBytes } from '../../src/lib/bytes.ts';
import { promptPathFault, promptTextOf, type PromptFiles } from '../../src/ports/prompt-files.ts';
import { ifThere } from './if-there.ts';

type Seen = { readonly stamp: string; readonly text: string };

/** As many texts are kept as a large collection of prompts has. */
const MOST_KEPT = 1_000;

/** Opening a pipe would wait for its writer. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Prompts in a directory. Each read looks at the file, so a change is in the next request; the text is read again only
 * when its time stamps or size have changed.
 */
export const createFsPromptFiles = (directory: string, maxBytes: number): PromptFiles => {
  const kept = new Map<string, Seen>();

  const keep = (path: string, seen: Seen) => {
    kept.delete(path);
    kept.set(path, seen);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };

  const readOpen = async (path: string, handle: FileHandle): Promise<string> => {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new Error(`${path} is no file`);
    if (stats.size > BigInt(maxBytes)) throw new Error(`${path} has more than ${formatBytes(maxBytes)}`);
    const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    const seen = kept.get(path);
    if (seen !== undefined && seen.stamp === stamp) return seen.text;
    const text = promptTextOf(await handle.readFile(), path);
    keep(path, { stamp, text });
    return text;
  };

  const read = async (path: string): Promise<string | null> => {
    const root = await ifThere(realpath(directory));
    const target = root === null ? null : await ifThere(realpath(join(root, path)));
    if (root === null || target === null) return null;
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new Error(`${path} is a link out of the directory of prompts; put the file itself there`);
    const handle = await ifThere(open(target, READ_ONLY));
    if (handle === null) return null;
    try {
      return await readOpen(path, handle);
    } finally {
      await handle.close();
    }
  };

  return {
    read: async (path) => {
      const fault = promptPathFault(path);
      if (fault !== null) throw new Error(fault);
      try {
        return await read(path);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOTDIR') return null;
        // The system's own words name directories of this host, and whoever asks may be a stranger.
        throw code === undefined ? error : new Error(`${path} cannot be read (${code})`, { cause: error });
      }
    },
  };
};
