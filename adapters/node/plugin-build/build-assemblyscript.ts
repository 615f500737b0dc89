import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../../src/lib/message-of.ts';
import { serverRoot } from '../server-root.ts';
import { PluginBuildError, type BuildOptions, type BuildReport } from './build-report.ts';
import { foreignImports } from './foreign-imports.ts';
import { readJsonFile } from './read-json-file.ts';
import { writeModule } from './write-module.ts';

const ENTRY = 'assembly/index.ts';
const KIT_DIRECTORY = join(serverRoot, 'plugin-kit', 'assemblyscript');
/** What the compiler takes for the folder of the kit, wherever this installation lies: paths go into its messages. */
const KIT = 'vcp-plugin-kit';
const OUTPUT = 'module.wasm';

/** What an author may set otherwise in an `asconfig.json` beside the manifest, under `options`. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  // An instance lives for one call, so that there is nothing to collect; "incremental" is for calls that make much waste.
  runtime: ['--runtime', 'stub'],
  optimizeLevel: ['--optimizeLevel', '3'],
  // Any other makes `join` take the square of its length in memory.
  shrinkLevel: ['--shrinkLevel', '0'],
};

/**
 * Compiles `assembly/index.ts` with our kit as its library.
 *
 * @throws PluginBuildError with what the compiler says, or when the compiler is not installed.
 */
export const buildAssemblyscript = async (directory: string, options: BuildOptions = {}): Promise<BuildReport> => {
  const startedAt = performance.now();
  const asc = await loadCompiler();
  let bytes: Uint8Array | null = null;
  let said = '';
  const { error } = await asc.main(await argumentsFor(directory), {
    stdout: { write: () => undefined },
    stderr: { write: (text: string | Uint8Array) => void (said += String(text)) },
    listFiles: (folder: string) => readdirSync(folder === KIT ? KIT_DIRECTORY : resolve(directory, folder)),
    readFile: (name: string, folder: string) => readText(resolve(folder === KIT ? KIT_DIRECTORY : directory, name)),
    // The module goes where we say, and nothing else is written.
    writeFile: (name: string, contents: string | Uint8Array) => {
      if (name === OUTPUT && typeof contents !== 'string') bytes = contents;
    },
  });
  if (error !== null) throw new PluginBuildError(faultOf(said, error));
  if (bytes === null) throw new PluginBuildError('the AssemblyScript compiler gave no module');
  const strangers = foreignImports(bytes);
  if (strangers.length > 0) throw new PluginBuildError(strangers.join('\n'));
  return writeModule(directory, options, bytes, { language: 'assemblyscript', startedAt });
};

const argumentsFor = async (directory: string): Promise<string[]> => {
  const own = await ownOptions(directory);
  const defaults = Object.entries(DEFAULTS).flatMap(([name, args]) => (Object.hasOwn(own, name) ? [] : args));
  return [
    ENTRY,
    '--outFile',
    OUTPUT,
    ...defaults,
    '--lib',
    KIT,
    '--use',
    'abort=~lib/vcp-plugin/abortCall',
    '--use',
    'seed=~lib/vcp-plugin/seedRandom',
  ];
};

/** The compiler reads the file itself; here it only matters what it names. */
const ownOptions = async (directory: string): Promise<object> => {
  const file = join(directory, 'asconfig.json');
  if (!existsSync(file)) return {};
  try {
    return ((await readJsonFile(file)) as { options?: object }).options ?? {};
  } catch (error) {
    throw new PluginBuildError(`asconfig.json cannot be read: ${messageOf(error)}`);
  }
};

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
