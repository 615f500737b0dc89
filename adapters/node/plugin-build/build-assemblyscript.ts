import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../../src/lib/message-of.ts';
import { serverRoot } from '../server-root.ts';
import { ASCONFIG_FILE, assemblyscriptOptions } from './assemblyscript-options.ts';
import { PluginBuildError, type BuildOptions, type BuildReport } from './build-report.ts';
import { foreignImports } from './foreign-imports.ts';
import { missingExports } from './missing-exports.ts';
import { sourceFolders } from './source-folders.ts';
import { writeModule } from './write-module.ts';

const ENTRY = 'assembly/index.ts';
const KIT_DIRECTORY = join(serverRoot, 'plugin-kit', 'assemblyscript');
/** What the compiler takes for the folder of the kit, wherever this installation lies: paths go into its messages. */
const KIT = 'vcp-plugin-kit';
const OUTPUT = 'module.wasm';

/**
 * Compiles `assembly/index.ts` with our kit as its library.
 *
 * @throws PluginBuildError with what the compiler says, or when the compiler is not installed.
 */
export const buildAssemblyscript = async (directory: string, options: BuildOptions = {}): Promise<BuildReport> => {
  const startedAt = performance.now();
  const asc = await loadCompiler();
  const folders = sourceFolders(directory, KIT_DIRECTORY);
  const config = resolve(directory, ASCONFIG_FILE);
  let bytes: Uint8Array | null = null;
  let said = '';
  const { error } = await asc.main(argumentsFor(directory), {
    stdout: { write: () => undefined },
    stderr: { write: (text: string | Uint8Array) => void (said += String(text)) },
    listFiles: (folder: string) => readdirSync(folder === KIT ? KIT_DIRECTORY : resolve(directory, folder)),
    readFile: (name: string, folder: string) => {
      const file = resolve(folder === KIT ? KIT_DIRECTORY : directory, name);
      return file === config || !folders.has(file) ? null : readText(file);
    },
    // The module goes where we say, and nothing else is written.
    writeFile: (name: string, contents: string | Uint8Array) => {
      if (name === OUTPUT && typeof contents !== 'string') bytes = contents;
    },
  });
  if (error !== null) throw new PluginBuildError(faultOf(said, error));
  if (bytes === null) throw new PluginBuildError('the AssemblyScript compiler gave no module');
  const faults = [...foreignImports(bytes), ...missingExports(bytes)];
  if (faults.length > 0) throw new PluginBuildError(faults.join('\n'));
  return writeModule(directory, options, bytes, { language: 'assemblyscript', startedAt });
};

const argumentsFor = (directory: string): string[] => [
  ENTRY,
  '--outFile',
  OUTPUT,
  ...assemblyscriptOptions(directory),
  '--lib',
  KIT,
  '--use',
  'abort=~lib/vcp-plugin/abortCall',
  '--use',
  'seed=~lib/vcp-plugin/seedRandom',
];

/** The compiler asks for many files that are not there, in its search for modules. */
const readText = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};

const loadCompiler = async () => {
  try {
    return await import('assemblyscript/asc');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new PluginBuildError('the AssemblyScript compiler is not installed; npm install assemblyscript brings it');
  }
};

const faultOf = (said: string, error: Error): string => stripVTControlCharacters(said).trim() || messageOf(error);
