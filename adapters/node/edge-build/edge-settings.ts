import { EDGE_DEFAULTS } from '../../cloudflare/edge-defaults.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import type { Configuration } from '../../../src/server/configuration.ts';
import { bundledPlugins } from '../bundled-plugins.ts';
import type { ModuleTrust } from '../module-loader.ts';
import { moduleTrust } from '../module-trust.ts';
import { readConfiguration } from '../read-configuration.ts';
import { serverRoot } from '../server-root.ts';

export type EdgeSettings =
  | {
      readonly ok: true;
      readonly configuration: Configuration;
      readonly limits: Limits;
      readonly trust: ModuleTrust;
      readonly pluginDirectories: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** What the configuration here says of plugins and limits, over what differs on Workers. */
export const edgeSettings = (environment: NodeJS.ProcessEnv): EdgeSettings => {
  const loaded = readConfiguration(environment, EDGE_DEFAULTS);
  if (!loaded.ok)
    return { ok: false, reason: loaded.errors.map(({ name, message }) => `${name} ${message}`).join('; ') };
  const { configuration, limits } = loaded;
  const bundled = bundledPlugins(serverRoot);
  return {
    ok: true,
    configuration,
    limits,
    trust: moduleTrust(() => configuration.VCP_TRUSTED_MODULES, bundled, limits),
    pluginDirectories: configuration.VCP_PLUGIN_DIRS ?? bundled,
  };
};
