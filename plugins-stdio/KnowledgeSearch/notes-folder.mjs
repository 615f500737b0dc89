import { constants, lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { FolderFault } from '../lib/folder-fault.mjs';
import { locate, locateFolder } from '../lib/locate.mjs';
import { segmentsOf } from '../lib/path-segments.mjs';
import { walk } from '../lib/walk.mjs';
import { FOLDER_DEPTH, NOTE_BYTES, NOTES } from './limits.mjs';

const NOTE_NAME = /\.(?:md|markdown)$/i;

/** Whether a path can be that of a note: Markdown, and nothing in it hidden. */
export function isNotePath(path) {
  return NOTE_NAME.test(path) && !path.split('/').some((name) => name.startsWith('.'));
}

/**
 * Every note of a folder: `{ path, stats, read }`, where `stats` is its `lstat` and `read()` gives its `{ bytes, stats }`, or
 * null when it went away meanwhile; it works until the next note is asked for. Links are not followed. What is no note is
 * counted in `left`; `left.stopped` says that there are more than are taken in.
 */
export async function* eachNote(root, left, signal) {
  const folder = await locateFolder(root, []);
  let count = 0;
  try {
    const options = {
      depth: FOLDER_DEPTH,
      isWanted: ({ name }) => !name.startsWith('.'),
      onUnreadable: () => (left.unreadable += 1),
    };
    for await (const { path, name, kind, folder: holder } of walk(folder, options)) {
      signal.throwIfAborted();
      if (kind !== 'file' || !NOTE_NAME.test(name)) continue;
      if (count >= NOTES) {
        left.stopped = true;
        return;
      }
      // Not awaited: waiting ten thousand times costs more than all else here together.
      const stats = lstatSync(holder.at(name), { bigint: true, throwIfNoEntry: false });
      if (!stats?.isFile()) continue;
      if (stats.size > BigInt(NOTE_BYTES)) {
        left.tooLarge += 1;
        continue;
      }
      count += 1;
      yield { path, stats, read: () => orNull(() => readAt(holder, name)) };
    }
  } finally {
    await folder.close();
  }
}

/** The bytes of a note and its `stats`, or null where there is none (any more). */
export async function readFile(root, path) {
  return await orNull(() => atNote(root, path, ({ folder, name }) => readAt(folder, name)));
}

async function readAt(folder, name) {
  const { handle, stats } = await folder.openFile(name, constants.O_RDONLY);
  try {
    return stats.size > BigInt(NOTE_BYTES) ? null : { bytes: await handle.readFile(), stats };
  } finally {
    await handle.close();
  }
}

async function orNull(action) {
  try {
    return await action();
  } catch (error) {
    if (error.code === 'ENOENT' || ['not-found', 'not-a-file', 'not-a-directory', 'changed'].includes(error.reason))
      return null;
    throw error;
  }
}

/** Runs `action({ folder, name, stats })` with the folder of a note open. Never follows a link at the end. */
export async function atNote(root, path, action) {
  const segments = segmentsOf(path);
  if (segments.length === 0 || !isNotePath(segments.join('/'))) {
    throw new FolderFault('refused', 'a note is a file whose name ends in .md, in no hidden folder');
  }
  const found = await locate(root, segments, { followLast: false });
  try {
    return await action(found);
  } finally {
    await found.folder.close();
  }
}

/** Makes a folder below the root, and those above it. */
export async function makeFolder(root, path) {
  const segments = segmentsOf(path);
  if (segments.some((name) => name.startsWith('.'))) throw new FolderFault('refused', 'a hidden folder holds no notes');
  for (let length = 1; length <= segments.length; length += 1) {
    const { folder, name, stats } = await locate(root, segments.slice(0, length));
    try {
      if (stats !== null || name === null) continue;
      await mkdir(folder.at(name)).catch((error) => {
        if (error.code !== 'EEXIST') throw error;
      });
    } finally {
      await folder.close();
    }
  }
  return segments.join('/');
}
