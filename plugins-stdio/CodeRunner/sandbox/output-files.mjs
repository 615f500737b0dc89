import { copyFile, lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const MOST_FILES = 16;
const MOST_BYTES = 20 * 1024 * 1024;

/**
 * What a run left in its directory, as resource drafts: regular files that were not there before, or have changed. Links
 * are not followed. `leftOut` counts what was too much.
 */
export const collectFiles = async (work, before, resourceDir) => {
  const found = (await regularFiles(work)).filter(({ name, size, changed }) => {
    const known = before.get(name);
    return known === undefined || known.size !== size || known.changed !== changed;
  });
  const files = [];
  const resources = [];
  let bytes = 0;
  for (const { name, size, path } of found) {
    if (files.length >= MOST_FILES || bytes + size > MOST_BYTES || size === 0) continue;
    bytes += size;
    const id = `file-${files.length + 1}`;
    await copyFile(path, join(resourceDir, id));
    files.push({ name, bytes: size, file: { $resource: id } });
    resources.push({ id, role: 'output', localPath: id, fileName: fileNameOf(name) });
  }
  return { files, resources, leftOut: found.length - files.length };
};

/** Name, bytes and time of change of every regular file below a directory, by name. */
export const regularFiles = async (root) => {
  const files = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await lstat(path);
    files.push({ name: relative(root, path).split(sep).join('/').toWellFormed(), size, changed: mtimeMs, path });
  }
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const fileNameOf = (name) =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-120) || 'file';
