import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { VcpUnreachable } from '../../../src/client/vcp-client.ts';
import { plainFileName } from '../../../src/lib/plain-file-name.ts';
import { UsageError } from './exit.ts';
import type { ResourceContent } from '../../../src/client/resource-content.ts';

/** Names that are tried before a directory counts as full of them. */
const NAME_ATTEMPTS = 1_000;

/**
 * Saves the bytes of a resource under its name in a directory, or under the next free one (`name (1).png`): nothing is
 * ever overwritten. Gives the path. What does not have the hash that the server promised is removed and raised.
 */
export const saveFile = async (directory: string, name: string, content: ResourceContent): Promise<string> => {
  const { path, file } = await openFresh(directory, plainFileName(name));
  try {
    const hash = createHash('sha256');
    for await (const chunk of content.body) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    if (content.sha256 !== null && hash.digest('hex') !== content.sha256)
      throw new VcpUnreachable(`${path} did not arrive as it was stored, and was removed; try again`);
    return path;
  } catch (error) {
    await rm(path, { force: true });
    if (error instanceof VcpUnreachable || (error instanceof Error && 'syscall' in error)) throw error;
    throw new VcpUnreachable(`the connection broke off before ${path} was whole; it was removed`, { cause: error });
  } finally {
    await file.close();
  }
};

/** `wx` makes the file or fails: it follows no link and replaces nothing, whoever else writes at the same time. */
const openFresh = async (directory: string, name: string): Promise<{ path: string; file: FileHandle }> => {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
    const path = join(directory, attempt === 0 ? name : `${stem} (${attempt})${ending}`);
    try {
      return { path, file: await open(path, 'wx') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new UsageError(`there is no directory ${directory}`);
      if (code === 'ENOTDIR') throw new UsageError(`${directory} is not a directory`);
      if (code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${directory} has ${NAME_ATTEMPTS} files named like ${name}`);
};
