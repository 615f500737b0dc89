import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Limits } from '../../../../src/lib/limits.ts';
import type { PluginDefinition } from '../../../../src/registry/plugin-definition.ts';
import { createToolRegistry } from '../../../../src/registry/tool-registry.ts';
import type { Configuration } from '../../../../src/server/configuration.ts';
import { bundledPlugins } from '../../bundled-plugins.ts';
import { moduleTrust } from '../../module-trust.ts';
import { admitPlugin } from '../../plugins/admit-plugin.ts';
import { readPluginDirectories } from '../../read-plugin-directories.ts';
import { serverRoot } from '../../server-root.ts';
import { createWasmModuleSource } from '../../wasm/module-source.ts';
import { fail, ok, type Finding } from './finding.ts';

/** Milliseconds that a program has to tell its version. */
const PATIENCE_MS = 5_000;
const run = promisify(execFile);

/** What the plugins on this machine need, and, while no server says so itself, which of them it would refuse. */
export const checkPlugins = async (
  { VCP_PLUGIN_DIRS, VCP_TRUSTED_MODULES }: Configuration,
  limits: Limits,
  isServerRunning: boolean,
): Promise<Finding[]> => {
  const bundled = bundledPlugins(serverRoot);
  const directories = VCP_PLUGIN_DIRS?.map((directory) => resolve(directory)) ?? bundled;
  const found = await readPluginDirectories(directories, limits.manifestBytes);
  const trust = moduleTrust(() => VCP_TRUSTED_MODULES, bundled, limits);
  const admit = (plugin: PluginDefinition) => {
    const admitted = admitPlugin(plugin, { trust, environment: process.env, wasm: true });
    return admitted.ok ? null : admitted.reason;
  };
  const registry = createToolRegistry(found.manifests, admit, found.unreadable);
  const plugins = [...registry.current().tools.values()];
  const badModules = await refusedModules(plugins, limits);
  const served = plugins
    .map(({ manifest }) => manifest)
    .filter((manifest) => !badModules.some(({ name }) => name === manifest.name));
  const interpreters = served.flatMap(({ entryPoint }) =>
    entryPoint.type === 'command' && !/[/\\]/.test(entryPoint.command) ? [entryPoint.command] : [],
  );
  const usable = served.map(({ name }) => name).join(', ') || 'none';
  return [
    ...(isServerRunning ? [] : [ok('plugins', `${usable} in ${directories.join(', ')}`)]),
    ...(isServerRunning
      ? []
      : [...registry.refused(), ...badModules].map(({ name, location, reason }) =>
          fail('plugin', `${name ?? '(no name)'} would be refused: ${reason}`, `mend ${location}`),
        )),
    ...(await Promise.all([...new Set(interpreters)].map(checkInterpreter))),
  ];
};

/** The WebAssembly plugins whose modules a server would not accept. */
const refusedModules = async (plugins: readonly PluginDefinition[], limits: Limits) => {
  const modules = createWasmModuleSource(limits);
  const judged = plugins
    .filter(({ manifest }) => manifest.entryPoint.type === 'wasm')
    .map(async (plugin) => ({
      name: plugin.manifest.name,
      location: plugin.directory,
      reason: await modules.prepare(plugin),
    }));
  return (await Promise.all(judged)).filter(({ reason }) => reason !== null);
};

const checkInterpreter = async (command: string): Promise<Finding> => {
  // The server runs `node` plugins on its own Node.
  if (command === 'node') return ok('node', `${process.versions.node}, for plugins too`);
  try {
    const { stdout, stderr } = await run(command, ['--version'], { timeout: PATIENCE_MS });
    return ok(command, (stdout || stderr).split('\n')[0]?.trim() || 'found');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Not every program knows --version; that it starts is what counts.
    if (code !== 'ENOENT') return ok(command, 'found');
    return fail(command, 'was not found in PATH, and a plugin needs it', `install ${command}`);
  }
};
