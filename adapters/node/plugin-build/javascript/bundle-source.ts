import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { build, type Message } from 'esbuild';
import type { SourceLines } from '../../../../plugin-kit/javascript/runtime/source-lines.ts';
import { PluginBuildError } from '../build-report.ts';
import { JAVASCRIPT_KIT } from './engine.ts';
import { urlOnDemand } from './url-on-demand.ts';
import { nodeModulesStub } from './node-modules-stub.ts';
import { ownFilesOnly } from './own-files-only.ts';
import { sourceLines } from './source-lines.ts';

/** What the engine understands of the language; newer syntax is rewritten. */
const TARGET = 'es2023';

/** The name of the bundle in a stack; plugin-kit/javascript/runtime/source-lines.ts looks for it. */
export const BUNDLE_NAME = 'plugin.js';

export type Bundle = { readonly script: string; readonly lines: SourceLines };

/**
 * The plugin, its libraries and the run time of the kit as one script. Types are taken away, not checked.
 *
 * @throws PluginBuildError with each fault's file and line.
 */
export const bundleSource = async (directory: string, entry: string): Promise<Bundle> => {
  const modules = ['globals', 'serve'].map((name) => JSON.stringify(join(JAVASCRIPT_KIT, 'runtime', `${name}.ts`)));
  const contents = [
    `import ${modules[0]};`,
    `import { serve } from ${modules[1]};`,
    `import handlers from ${JSON.stringify(`./${entry}`)};`,
    'serve(handlers);',
  ].join('\n');
  try {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: directory, sourcefile: 'vcp-plugin-entry.js', loader: 'js' },
      absWorkingDir: directory,
      alias: { 'vcp-plugin': join(JAVASCRIPT_KIT, 'vcp-plugin.ts') },
      bundle: true,
      write: false,
      outfile: BUNDLE_NAME,
      sourcemap: 'external',
      sourcesContent: false,
      format: 'iife',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      // Not `browser`: such builds of libraries look for a document.
      conditions: ['worker', 'module'],
      plugins: [ownFilesOnly(directory), nodeModulesStub, urlOnDemand],
      target: TARGET,
      // Of the author's files and the manifest's folder nothing but their text counts: the same source, the same module.
      tsconfigRaw: {},
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
    });
    const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
    const lines = sourceLines(text('.map'));
    const table = `function vcpSourceLines() { return JSON.parse(${JSON.stringify(JSON.stringify(lines))}); }`;
    return { script: `${text('.js')}\n${table}\n`, lines };
  } catch (error) {
    throw new PluginBuildError(faultsOf(error, directory));
  }
};

const NO_NODE = ' (there are no modules of Node in a sandbox)';
const NO_DEFAULT = ' (a plugin ends with: export default plugin({ Command: (args, call) => ({ data: … }) });)';
const NOT_INSTALLED = ' (packages have to be installed in the folder of the plugin or above it)';

const faultsOf = (error: unknown, directory: string): string => {
  const { errors } = error as { errors?: Message[] };
  if (errors === undefined || errors.length === 0) throw error;
  return errors.map((fault) => faultOf(fault, directory)).join('\n');
};

const faultOf = ({ text, location }: Message, directory: string): string => {
  const missing = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
  if (/^No matching export in .* for import "default"/.test(text)) return `${text}${NO_DEFAULT}`;
  const hint = missing === undefined ? '' : isBuiltin(missing) ? NO_NODE : NOT_INSTALLED;
  if (location === null) return `${text}${hint}`;
  const file = relative(directory, join(directory, location.file)).split(sep).join('/');
  return `${file}:${location.line}:${location.column + 1}: ${text}${hint}`;
};
