import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FoundManifest } from '../../src/registry/compile-plugin.ts';

export const MANIFEST_FILE = 'plugin-manifest.json';

export type FoundPlugins = {
  readonly manifests: readonly FoundManifest[];
  /** Directories that could not be read, and manifests likewise. */
  readonly unreadable: readonly { readonly location: string; readonly reason: string }[];
};

/** Every `<directory>/<plugin>/plugin-manifest.json`, in order of directory and name. Other folders are passed over. */
export const readPluginDirectories = async (
  directories: readonly string[],
  maxBytes: number,
): Promise<FoundPlugins> => {
  const manifests: FoundManifest[] = [];
  const unreadable: { location: string; reason: string }[] = [];
  for (const directory of directories) {
    const names = await readdir(directory).catch((error: unknown) => {
      unreadable.push({ location: directory, reason: describe(error) });
      return [];
    });
    for (const name of names.toSorted()) {
      const pluginDirectory = resolve(directory, name);
      const location = join(pluginDirectory, MANIFEST_FILE);
      try {
        const text = await readFile(location, 'utf8');
        if (text.length > maxBytes) unreadable.push({ location, reason: `is larger than ${maxBytes} bytes` });
        else manifests.push({ text, directory: pluginDirectory, location });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'ENOTDIR') unreadable.push({ location, reason: describe(error) });
      }
    }
  }
  return { manifests, unreadable };
};

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
