import { resolve } from 'node:path';
import type { Limits } from '../../../src/lib/limits.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { PluginLocation } from '../../../src/ports/transport.ts';
import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { createLiveRegistry, type LiveRegistry } from '../../../src/registry/tool-registry.ts';
import { createPluginService, type PluginService } from '../../../src/runtime/plugin-service.ts';
import type { LiveConfiguration } from '../../../src/server/live-configuration.ts';
import type { BuiltInTools } from '../../../src/runtime/built-in/built-in-tools.ts';
import type { ServiceHost } from '../../../src/runtime/services/service-host.ts';
import type { Transports } from '../../../src/transport/select-transport.ts';
import { createFsPluginSwitches } from '../../fs/fs-plugin-switches.ts';
import { createModuleLoader, type NodeModuleLoader } from '../module-loader.ts';
import { moduleTrust } from '../module-trust.ts';
import { createNodePluginSource } from './node-plugin-source.ts';
import { reloadOnChange } from './reload-on-change.ts';

export type OpenPluginsOptions = {
  readonly live: LiveConfiguration;
  /** The file that the configuration comes from beside the environment, if it is to be watched. */
  readonly configurationFile: string | null;
  /** Absolute directories of the plugins that come with the server. */
  readonly bundled: readonly string[];
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** See `PluginAdmission`. */
  readonly pluginConfiguration?: Readonly<Record<string, string>>;
  /** See `PluginAdmission`. */
  readonly noProcesses?: string | null;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See `NodePluginSourceOptions`. */
  prepareGuest?(plugin: PluginLocation): Promise<string | null>;
};

/** The plugins of a server on Node, before and while they are served. */
export type OpenPlugins = {
  /** Empty until `serve`. */
  readonly registry: LiveRegistry;
  readonly loader: NodeModuleLoader;
  /** The declared configuration that a version of a plugin was accepted with. */
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
  /** See `NodePluginSource`. */
  isUnchanged(plugin: PluginDefinition): Promise<boolean>;
  /** Looks for the first time. */
  serve(transports: Transports, builtIn: BuiltInTools, services: ServiceHost): Promise<PluginService>;
  /** Takes changes over from now on; gives the function that ends it. */
  watch(service: PluginService): Promise<() => void>;
};

export const openPlugins = (options: OpenPluginsOptions): OpenPlugins => {
  const { live, bundled, environment, pluginConfiguration = {}, limits, clock, logger, prepareGuest } = options;
  const { noProcesses = null } = options;
  const trust = moduleTrust(() => live.current().VCP_TRUSTED_MODULES, bundled, limits);
  const loader = createModuleLoader(trust);
  const pluginDirectories = () => live.current().VCP_PLUGIN_DIRS ?? bundled;
  const source = createNodePluginSource({
    pluginDirectories,
    environment,
    pluginConfiguration,
    noProcesses,
    limits,
    trust,
    loader,
    logger,
    ...(prepareGuest === undefined ? {} : { prepareGuest }),
  });
  const registry = createLiveRegistry();
  const switchDirectory = resolve(options.dataDirectory, 'plugin-switches');

  return {
    registry,
    loader,
    configurationOf: source.configurationOf,
    isUnchanged: source.isUnchanged,
    serve: async (transports, builtIn, services) => {
      const switches = await createFsPluginSwitches(switchDirectory, clock.now);
      const reloadConfiguration = () => live.reload();
      const service = createPluginService({
        registry,
        source: builtIn.before(source),
        switches,
        transports,
        services,
        clock,
        logger,
        reloadConfiguration,
      });
      await service.reload();
      return service;
    },
    watch: (service) =>
      reloadOnChange({
        mode: live.current().VCP_WATCH,
        service,
        directories: () => [...source.directories(), switchDirectory],
        files: options.configurationFile === null ? [] : [options.configurationFile],
        limits,
        logger,
      }),
  };
};
