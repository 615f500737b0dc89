import { FolderFault } from './folder-fault.mjs';
import { UNFINISHED } from './path-segments.mjs';

/**
 * Every entry below an open folder, folders before what is in them and by name within one folder: `{ path, name, kind,
 * folder }`, where `path` is relative to the start and `kind` is `file`, `folder`, `link` or `other`. Links are never
 * entered. `isWanted(entry)` decides before a folder is entered. What could not be entered goes to `onUnreadable(path)`,
 * a name that is no UTF-8 (and so could not be asked for) to `onUnreadable` too.
 */
export async function* walk(folder, { depth, isWanted = () => true, onUnreadable }, prefix = '') {
  const entries = (await folder.entries()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const dirent of entries) {
    if (UNFINISHED.test(dirent.name)) continue;
    const path = prefix + dirent.name;
    if (dirent.name.includes('\ufffd')) {
      onUnreadable(path);
      continue;
    }
    const entry = { path, name: dirent.name, kind: kindOf(dirent), folder };
    if (!isWanted(entry)) continue;
    yield entry;
    if (entry.kind !== 'folder' || depth <= 1) continue;
    const below = await enter(folder, dirent.name);
    if (below === null) {
      onUnreadable(path);
      continue;
    }
    try {
      yield* walk(below, { depth: depth - 1, isWanted, onUnreadable }, `${path}/`);
    } finally {
      await below.close();
    }
  }
}

export function kindOf(stats) {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** Null for a folder that may not be read, or is none any more. */
async function enter(folder, name) {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (error instanceof FolderFault || ['EACCES', 'EPERM', 'ENOENT'].includes(error.code)) return null;
    throw error;
  }
}
