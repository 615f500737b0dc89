import { copyFile, lstat, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const MOST_FILES = 16;
const MOST_BYTES = 20 * 1024 * 1024;
/** Entries that are looked at, and directories one in another: a snippet may make any number of them. */
const MOST_ENTRIES = 10_000;
const MOST_DEPTH = 32;

/**
 * What a run left in its directory, as resource drafts: regular files that were not there before, or have changed. Links
 * are not followed. `leftOut` counts what was too much, `isWhole` is false when there was more than is looked at.
 */
export const collectFiles = async (work, before, resourceDir) => {
  const { files: present, unread, isWhole } = await regularFiles(work);
  const found = present.filter(({ name, size, changed }) => {
    const known = before.get(name);
    return known === undefined || known.size !== size || known.changed !== changed;
  });
  const files = [];
  const resources = [];
  let bytes = 0;
  for (const { name, size, path } of found) {
    if (files.length >= MOST_FILES || bytes + size > MOST_BYTES || size === 0) continue;
    const id = `file-${files.length + 1}`;
    try {
      await copyFile(path, join(resourceDir, id));
    } catch {
      continue; // A file that its own program made unreadable.
    }
    bytes += size;
    files.push({ name, bytes: size, file: { $resource: id } });
    resources.push({ id, role: 'output', localPath: id, fileName: fileNameOf(name) });
  }
  return { files, resources, leftOut: found.length - files.length + unread, isWhole };
};

/** Name, bytes and time of change of the regular files below a directory, by name; `unread` counts what gave an error. */
export const regularFiles = async (root) => {
  const files = [];
  const waiting = [{ directory: root, depth: 0 }];
  let entries = 0;
  let unread = 0;
  let isWhole = true;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { directory, depth } = next;
    try {
      for await (const entry of await opendir(directory)) {
        entries += 1;
        if (entries > MOST_ENTRIES) return { files: files.toSorted(byName), unread, isWhole: false };
        const path = join(directory, entry.name);
        if (entry.isDirectory()) {
          if (depth < MOST_DEPTH) waiting.push({ directory: path, depth: depth + 1 });
          else isWhole = false;
        } else if (entry.isFile()) {
          const file = await describe(root, path);
          if (file === null) unread += 1;
          else files.push(file);
        }
      }
    } catch {
      unread += 1;
    }
  }
  return { files: files.toSorted(byName), unread, isWhole };
};

const byName = (a, b) => (a.name < b.name ? -1 : 1);

/** Null for a name that is not UTF-8, which cannot be asked for. */
const describe = async (root, path) => {
  try {
    const { size, mtimeMs } = await lstat(path);
    return { name: relative(root, path).split(sep).join('/').toWellFormed(), size, changed: mtimeMs, path };
  } catch {
    return null;
  }
};

const fileNameOf = (name) =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-120) || 'file';
