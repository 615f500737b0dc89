import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { RefusedPlugin } from '../../src/protocol/tool-description.ts';
import type { FoundManifest } from '../../src/registry/compile-plugin.ts';

export const MANIFEST_FILE = 'plugin-manifest.json';

export type FoundPlugins = {
  readonly manifests: readonly FoundManifest[];
  /** Directories that could not be read, and manifests likewise. */
  readonly unreadable: readonly RefusedPlugin[];
};

/** Every `<directory>/<plugin>/plugin-manifest.json`, in order of directory and name. Other folders are passed over. */
export const readPluginDirectories = async (
  directories: readonly string[],
  maxBytes: number,
): Promise<FoundPlugins> => {
  const manifests: FoundManifest[] = [];
  const unreadable: RefusedPlugin[] = [];
  const refuse = (location: string, reason: string) =>
    unreadable.push({ name: null, location, reason, issues: [{ pointer: '', message: reason }] });

  for (const directory of directories) {
    const names: string[] = await readdir(directory).catch((error: unknown): string[] => {
      const hint = directory.includes(':') ? '; directories are separated by commas' : '';
      refuse(directory, `the plugin directory cannot be read: ${messageOf(error)}${hint}`);
      return [];
    });
    if (names.includes(MANIFEST_FILE)) {
      refuse(directory, `this is a plugin itself; give the directory that holds it, ${dirname(directory)}`);
    }
    for (const name of names.toSorted()) {
      const pluginDirectory = resolve(directory, name);
      const location = join(pluginDirectory, MANIFEST_FILE);
      try {
        const { size } = await stat(location);
        if (size > maxBytes) refuse(location, `the manifest is larger than ${maxBytes} bytes`);
        else manifests.push({ text: await readFile(location, 'utf8'), directory: pluginDirectory, location });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'ENOTDIR')
          refuse(location, `the manifest cannot be read: ${messageOf(error)}`);
      }
    }
  }
  return { manifests, unreadable };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
