import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PluginBuildError, type BuildOptions, type BuildReport } from './build-report.ts';

/** Where the source of a plugin begins, which says how it is built. */
const SOURCES = {
  assemblyscript: ['assembly/index.ts'],
  javascript: ['src/index.ts', 'src/index.js', 'plugin.ts', 'plugin.js'],
} as const;

const hasAny = (directory: string, files: readonly string[]): boolean =>
  files.some((file) => existsSync(resolve(directory, file)));

/** Whether there is something that `buildPlugin` compiles. */
export const hasSource = (directory: string): boolean => hasAny(directory, Object.values(SOURCES).flat());

/**
 * Compiles a plugin's source to the module that its manifest names.
 *
 * @throws PluginBuildError when there is no source, or it cannot be compiled.
 */
export const buildPlugin = async (directory: string, options: BuildOptions = {}): Promise<BuildReport> => {
  // Compilers are large: each is loaded for its own sources only.
  if (hasAny(directory, SOURCES.assemblyscript)) {
    const { buildAssemblyscript } = await import('./build-assemblyscript.ts');
    return buildAssemblyscript(directory, options);
  }
  if (hasAny(directory, SOURCES.javascript)) {
    const { buildJavascript } = await import('./build-javascript.ts');
    return buildJavascript(directory, options);
  }
  const wanted = Object.values(SOURCES).flat().join(', ');
  throw new PluginBuildError(
    `there is nothing to build in ${resolve(directory)}: it has none of ${wanted}. Only plugins that become WebAssembly are built.`,
  );
};
