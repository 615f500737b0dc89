import { join } from 'node:path';
import { readPluginDirectories } from '../../../adapters/node/read-plugin-directories.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { InvocationCommand } from '../../../src/protocol/manifest.ts';
import { compilePlugin, type FoundManifest } from '../../../src/registry/compile-plugin.ts';
import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { readContractCases, type ContractCase } from './contract-cases.ts';

export const BUNDLED_FOLDERS = ['plugins-stdio', 'plugins-direct', 'plugins-wasm'];

/** A plugin on its way through the contract: as the registry accepted it, with the cases that it brings along. */
export type PluginUnderTest = {
  readonly name: string;
  readonly directory: string;
  readonly found: FoundManifest;
  readonly definition: PluginDefinition;
  readonly commands: readonly InvocationCommand[];
  readonly cases: readonly ContractCase[];
  readonly configuration: Readonly<Record<string, string>>;
  /** Absolute path of the list of recorded answers that its cases need, or null. */
  readonly recordings: string | null;
};

/** Every bundled plugin, disabled ones too (§21). One that the registry refuses throws with the reason. */
export const readBundledPlugins = async (): Promise<PluginUnderTest[]> =>
  (await Promise.all(BUNDLED_FOLDERS.map(readPluginsBelow))).flat();

/** Those that docs/plugin-guide.md walks through: they keep the contract too, and are no part of the migration. */
export const readExamplePlugins = (): Promise<PluginUnderTest[]> => readPluginsBelow('examples/plugins');

const readPluginsBelow = async (folder: string): Promise<PluginUnderTest[]> => {
  const { manifests, unreadable } = await readPluginDirectories(
    [join(serverRoot, folder)],
    DEFAULT_LIMITS.manifestBytes,
  );
  if (unreadable.length > 0)
    throw new Error(unreadable.map(({ location, reason }) => `${location}: ${reason}`).join('\n'));
  return manifests.map(pluginUnderTest);
};

export const pluginUnderTest = (found: FoundManifest): PluginUnderTest => {
  const compiled = compilePlugin(found);
  if (!compiled.ok) throw new Error(`${found.location}: ${compiled.refused.reason}`);
  const { definition } = compiled;
  const directory = found.directory as string;
  const { cases, configuration, recordings } = readContractCases(directory);
  return {
    name: definition.manifest.name,
    directory,
    found,
    definition,
    commands: definition.manifest.capabilities.invocationCommands,
    cases,
    configuration,
    recordings: recordings === undefined ? null : join(directory, recordings),
  };
};

/** The command that a case is about, as its arguments say; null for one that names no command of this plugin. */
export const commandOfCase = (
  plugin: PluginUnderTest,
  args: Readonly<Record<string, unknown>>,
): InvocationCommand | null => {
  const named = args[plugin.definition.manifest.commandField];
  const [only] = plugin.commands;
  if (plugin.commands.length === 1 && named === undefined) return only ?? null;
  return plugin.commands.find((command) => command.commandIdentifier === named) ?? null;
};
