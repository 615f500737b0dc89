import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ToolName } from '../../../src/protocol/names.ts';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';
import { serverRoot } from '../server-root.ts';
import { readJsonFile } from './read-json-file.ts';
import { PluginBuildError } from './build-report.ts';

const KIT = join(serverRoot, 'plugin-kit');
const TEMPLATES = join(KIT, 'templates');

/** What a template's manifest says instead of WebAssembly, and the kit files that lie beside the program. */
const PROCESS = { protocol: 'stdio', timeoutMs: 10_000, standby: true } as const;
const LANGUAGES = {
  assemblyscript: { manifest: {}, kit: [] },
  typescript: { manifest: {}, kit: [] },
  node: {
    manifest: { entryPoint: { type: 'command', command: 'node', args: ['main.mjs'] }, communication: PROCESS },
    kit: ['node/vcp-plugin.mjs', 'node/vcp-plugin.d.mts'],
  },
  python: {
    manifest: { entryPoint: { type: 'command', command: 'python3', args: ['main.py'] }, communication: PROCESS },
    kit: ['python/vcp_plugin.py'],
  },
} as const;

export type PluginLanguage = keyof typeof LANGUAGES;
export const PLUGIN_LANGUAGES = Object.keys(LANGUAGES) as PluginLanguage[];

export type NewPlugin = { readonly directory: string; readonly files: readonly string[] };

/**
 * Makes the folder of a plugin that works and can be changed from there on.
 *
 * @throws PluginBuildError when the name cannot be one, or there is something of that name already.
 */
export const newPlugin = async (name: string, language: PluginLanguage, parent: string): Promise<NewPlugin> => {
  const checked = ToolName.safeParse(name);
  if (!checked.success) {
    throw new PluginBuildError(`"${name}" cannot be the name of a plugin: ${checked.error.issues[0]?.message}`);
  }
  const directory = resolve(parent, name);
  await mkdir(parent, { recursive: true });
  await mkdir(directory).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new PluginBuildError(`${directory} is there already; give another name`) : error;
  });
  const { manifest, kit } = LANGUAGES[language];
  await cp(join(TEMPLATES, 'common'), directory, { recursive: true });
  await cp(join(TEMPLATES, language), directory, { recursive: true });
  for (const file of kit) await cp(join(KIT, file), join(directory, file.slice(file.indexOf('/') + 1)));

  const manifestFile = join(directory, MANIFEST_FILE);
  const common = (await readJsonFile(manifestFile)) as object;
  await writeFile(manifestFile, `${JSON.stringify({ ...common, ...manifest }, null, 2)}\n`);
  const files = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files) await fillIn(file, name);
  return { directory, files: files.map((file) => relative(directory, file)).toSorted() };
};

/** Puts the name, and the ways from this file to the kit and to AssemblyScript's types, for editors, where they belong. */
const fillIn = async (file: string, name: string): Promise<void> => {
  if (!/\.(?:json|md)$/.test(file)) return;
  const text = await readFile(file, 'utf8');
  const wayTo = (target: string) => relative(dirname(file), target).replaceAll(sep, '/');
  const filled = text
    .replaceAll('PluginName', name)
    .replaceAll('"KIT/', `"${wayTo(KIT)}/`)
    .replaceAll('"STD/', `"${wayTo(assemblyScriptTypes())}/`);
  if (filled !== text) await writeFile(file, filled);
};

/** Where the compiler lies is up to the package manager. */
const assemblyScriptTypes = (): string => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('assemblyscript/package.json')), 'std');
  } catch {
    return join(serverRoot, 'node_modules', 'assemblyscript', 'std');
  }
};
