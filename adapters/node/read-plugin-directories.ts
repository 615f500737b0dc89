import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../src/lib/message-of.ts';
import type { RefusedPlugin } from '../../src/protocol/tool-description.ts';
import type { FoundManifest } from '../../src/registry/compile-plugin.ts';
import { isIgnoredName } from './plugins/ignored-name.ts';

export const MANIFEST_FILE = 'plugin-manifest.json';

export type FoundPlugins = {
  readonly manifests: readonly FoundManifest[];
  /** Directories that could not be read, and manifests likewise. */
  readonly unreadable: readonly RefusedPlugin[];
  /** Those of the directories that are there and would not be read: what is in them is not known. */
  readonly silent: readonly string[];
  /** Folders without a manifest, which may get one yet. */
  readonly folders: readonly string[];
};

/**
 * Every `<directory>/<plugin>/plugin-manifest.json`, in order of directory and name. Other folders are passed over, and
 * so are those that changes are not noticed in: a folder may be prepared as `.incoming` and then be renamed.
 */
export const readPluginDirectories = async (
  directories: readonly string[],
  maxBytes: number,
): Promise<FoundPlugins> => {
  const manifests: FoundManifest[] = [];
  const unreadable: RefusedPlugin[] = [];
  const silent: string[] = [];
  const folders: string[] = [];
  const refuse = (location: string, reason: string) =>
    unreadable.push({ name: null, location, reason, issues: [{ pointer: '', message: reason }] });

  for (const directory of directories) {
    const names: string[] = await readdir(directory).catch((error: unknown): string[] => {
      if (codeOf(error) !== 'ENOENT') silent.push(directory);
      const hint = directory.includes(':') ? '; directories are separated by commas' : '';
      refuse(directory, `the plugin directory cannot be read: ${messageOf(error)}${hint}`);
      return [];
    });
    if (names.includes(MANIFEST_FILE)) {
      refuse(directory, `this is a plugin itself; give the directory that holds it, ${dirname(directory)}`);
    }
    for (const name of names.filter((each) => !isIgnoredName(each)).toSorted()) {
      const pluginDirectory = resolve(directory, name);
      const location = join(pluginDirectory, MANIFEST_FILE);
      try {
        const { size } = await stat(location);
        if (size > maxBytes) refuse(location, `the manifest is larger than ${maxBytes} bytes`);
        else manifests.push({ text: await readFile(location, 'utf8'), directory: pluginDirectory, location });
      } catch (error) {
        const code = codeOf(error);
        if (code === 'ENOENT') folders.push(pluginDirectory);
        else if (code !== 'ENOTDIR') refuse(location, `the manifest cannot be read: ${messageOf(error)}`);
      }
    }
  }
  return { manifests, unreadable, silent, folders };
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
