import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isIgnoredName } from './ignored-name.ts';

/** The state of a plugin's folder. */
export type PluginFiles = {
  /** What each file was found as, by its path in the folder. */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** Absolute, the plugin's own first. */
  readonly directories: readonly string[];
  /** Whether there were more files than are looked at. */
  readonly isCut: boolean;
};

export type FoundFile = {
  /** SHA-256 of the content, or of size and time where the file is too large to be read each time. */
  readonly digest: string;
  readonly stamp: string;
  /** Whether the stamp will change with the next write; one that is too young may not. */
  readonly isSettled: boolean;
};

export type PluginFilesLimits = { readonly pluginFiles: number; readonly comparedFileBytes: number };

/** Milliseconds within which a second write may leave the times of a file as they are. */
const COARSEST_CLOCK_MS = 2_000;

/**
 * Looks through a plugin's folder. Only files whose size or times differ from `previous` are read again. Links to
 * folders are told apart by where they lead and not followed. Files that go in the meantime are left out: the change
 * that this is will be seen too.
 */
export const readPluginFiles = async (
  directory: string,
  previous: PluginFiles | null,
  limits: PluginFilesLimits,
): Promise<PluginFiles> => {
  const files = new Map<string, FoundFile>();
  const directories = [directory];
  let isCut = false;
  for (const folder of directories) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (isIgnoredName(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        directories.push(path);
        continue;
      }
      if (files.size >= limits.pluginFiles) {
        isCut = true;
        break;
      }
      const name = path.slice(directory.length + 1);
      const found = await readOne(path, previous?.files.get(name) ?? null, limits).catch(() => null);
      if (found !== null) files.set(name, found);
    }
    if (isCut) break;
  }
  return { files, directories, isCut };
};

/** One digest over all of it. */
export const digestOf = (manifest: string, { files }: PluginFiles): string => {
  const hash = createHash('sha256').update(manifest);
  for (const [name, { digest }] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${name}\0${digest}`);
  }
  return hash.digest('hex');
};

/** The files that differ, in order of name. */
export const changedFiles = (previous: PluginFiles, next: PluginFiles): string[] =>
  [...new Set([...previous.files.keys(), ...next.files.keys()])]
    .filter((name) => previous.files.get(name)?.digest !== next.files.get(name)?.digest)
    .toSorted();

const readOne = async (path: string, previous: FoundFile | null, limits: PluginFilesLimits): Promise<FoundFile> => {
  const link = (await lstat(path)).isSymbolicLink() ? await readlink(path) : '';
  const found = await stat(path, { bigint: true });
  const stamp = [link, found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode].join(' ');
  if (previous !== null && previous.isSettled && previous.stamp === stamp) return previous;
  const isSettled = Date.now() - Number(found.ctimeMs) > COARSEST_CLOCK_MS;
  return { digest: await digestOfFile(path, found, link, limits), stamp, isSettled };
};

const digestOfFile = async (
  path: string,
  found: BigIntStats,
  link: string,
  { comparedFileBytes }: PluginFilesLimits,
): Promise<string> => {
  const hash = createHash('sha256').update(`${link}\0${found.mode & 0o111n}\0`);
  // Whatever is no file, such as a socket of the plugin's own, is told apart by its kind alone.
  if (!found.isFile()) hash.update(found.isDirectory() ? 'directory' : 'other');
  else if (found.size > comparedFileBytes) hash.update(`${found.size} ${found.mtimeNs}`);
  else hash.update(await readFile(path));
  return hash.digest('hex');
};
