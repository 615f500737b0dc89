import type { Dir } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalListing } from '../../src/ports/resource-store.ts';

/**
 * The regular files below a directory, by the word of the directory: what a name leads to is judged when it is opened.
 * Links are not followed, so this ends; past `maxEntries` it stops.
 */
export const listLocalFiles = async (directory: string, maxEntries: number): Promise<LocalListing | 'too-many'> => {
  const files: string[] = [];
  let entries = 0;
  let skipped = 0;
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const opened = await openFolder(join(directory, folder));
    if (opened === null) {
      skipped += 1;
      continue;
    }
    // Reading to the end, or leaving early, closes it.
    for await (const entry of opened) {
      entries += 1;
      if (entries > maxEntries) return 'too-many';
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && !entry.name.includes('\\')) files.push(path);
      else skipped += 1;
    }
  }
  return { files: files.toSorted((a, b) => (a < b ? -1 : 1)), skipped };
};

/** A folder that has gone, or that the server may not read, is left out as a link is. */
const openFolder = async (path: string): Promise<Dir | null> => await opendir(path).catch(() => null);
