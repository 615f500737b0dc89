import { rmdir, unlink } from 'node:fs/promises';

/** Removes an entry by its open parent folder, with `recursive` a folder and all in it. Links are never followed. */
export async function removeEntry(folder, name, { recursive, counts, signal }) {
  let below = null;
  try {
    below = await folder.enter(name);
  } catch (error) {
    if (error.reason !== 'not-a-directory') throw error;
  }
  if (below === null) {
    await unlink(folder.at(name));
    counts.files += 1;
    return;
  }
  try {
    if (recursive) {
      for (const dirent of await below.entries()) {
        signal.throwIfAborted();
        await removeEntry(below, dirent.name, { recursive, counts, signal });
      }
    }
  } finally {
    await below.close();
  }
  await rmdir(folder.at(name));
  counts.folders += 1;
}

/** Takes away what was written aside and not finished: nobody else has seen it. */
export async function removeUnfinished({ folder, name }) {
  const options = { recursive: true, counts: { files: 0, folders: 0 }, signal: new AbortController().signal };
  await removeEntry(folder, name, options).catch(() => {});
}
