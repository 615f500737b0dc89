import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { unservedReason } from '../../../src/registry/unserved-reason.ts';
import { entryPointFault } from '../entry-point-fault.ts';
import { moduleRefusal, type ModuleTrust } from '../module-loader.ts';
import { readPluginConfiguration, type PluginConfiguration } from '../plugin-configuration.ts';

export type PluginAdmission = {
  readonly trust: ModuleTrust;
  readonly environment: NodeJS.ProcessEnv;
  /** Values of configuration for every plugin that declares them, before what its own file says. */
  readonly pluginConfiguration?: Readonly<Record<string, string>>;
  /** Whether there is a sandbox for WebAssembly plugins. */
  readonly wasm: boolean;
  /** Why no processes may be started, as a whole clause; null or absent where they may. */
  readonly noProcesses?: string | null;
};

/** Whether this machine can run a plugin as it is configured: with the values of its configuration, or why not. */
export const admitPlugin = (
  plugin: PluginDefinition,
  { trust, environment, pluginConfiguration, wasm, noProcesses = null }: PluginAdmission,
): PluginConfiguration => {
  const isModule = plugin.manifest.entryPoint.type === 'module';
  const served = { wasm, ...(noProcesses === null ? {} : { noProcesses }) };
  const reason =
    unservedReason(plugin.manifest, served) ?? (isModule ? moduleRefusal(plugin, trust) : entryPointFault(plugin));
  if (reason !== null) return { ok: false, reason };
  return readPluginConfiguration(plugin, environment, pluginConfiguration);
};
