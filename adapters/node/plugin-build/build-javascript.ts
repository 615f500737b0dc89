import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PluginBuildError, type BuildOptions, type BuildReport } from './build-report.ts';
import { boundedMemory } from './javascript/bounded-memory.ts';
import { bundleSource } from './javascript/bundle-source.ts';
import { readEngine } from './javascript/engine.ts';
import { handlerFault } from './javascript/handler-fault.ts';
import { initialiseInTime } from './javascript/initialise-in-time.ts';
import { snapshotModule } from './javascript/snapshot-module.ts';
import { commandsOf } from './commands-of.ts';
import { writeModule } from './write-module.ts';

const ENTRIES = ['src/index.ts', 'src/index.js', 'plugin.ts', 'plugin.js'];

/** What compiling a large bundle, or making its tables, may take: 512 MiB, far more than a server grants a call. */
const MEMORY_PAGES = 8_192;

/** What a sandbox calls and looks at. */
const EXPORTS = ['invoke', 'memory'];

/**
 * Makes one WebAssembly module of a plugin in TypeScript or JavaScript: its bundle is run once inside the engine, and what
 * the engine's memory holds then becomes the module's own. Types are not checked; `tsc --noEmit` does that.
 *
 * @throws PluginBuildError with what is wrong in the source.
 */
export const buildJavascript = async (directory: string, options: BuildOptions = {}): Promise<BuildReport> => {
  const startedAt = performance.now();
  const folder = resolve(directory);
  const entry = ENTRIES.find((file) => existsSync(join(folder, file)));
  if (entry === undefined) throw new PluginBuildError(`there is none of ${ENTRIES.join(', ')} in ${folder}`);
  const bundle = await bundleSource(folder, entry);
  const engine = await readEngine();
  const module = await WebAssembly.compile(boundedMemory(engine, MEMORY_PAGES));
  const { snapshot, handlers } = await initialiseInTime({ module, bundle }, options.topLevelMs);
  const fault = handlerFault(entry, handlers, await commandsOf(folder));
  if (fault !== null) throw new PluginBuildError(fault);
  const bytes = snapshotModule(engine, snapshot, EXPORTS);
  return writeModule(folder, options, bytes, { language: 'javascript', startedAt });
};
