import { createDeadline, raceWithSignal } from '../../lib/deadline.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import { boundLogger, type Logger } from '../../ports/logger.ts';
import type { PluginLocation } from '../../ports/transport.ts';
import type { PluginDefinition } from '../../registry/plugin-definition.ts';
import { isOfRuntime } from '../built-in/of-runtime.ts';
import { createServiceEvents, type ServiceEventsDependencies } from './service-context.ts';
import type { ServiceModule } from './service-module.ts';

/** Runs the services among the plugins: starts what is served, ends what is not any more. */
export type ServiceHost = {
  /** Brings what runs in line with what is served now. It waits for nothing. */
  follow(definitions: Iterable<PluginDefinition>): void;
  /** Ends them all; later changes are not followed. */
  close(): Promise<void>;
};

export type ServiceHostDependencies = Omit<ServiceEventsDependencies, 'logger'> & {
  readonly logger: Logger;
  /** Makes no events of its lines. */
  readonly quietLogger: Logger;
  readonly loader: { load(plugin: PluginLocation): Promise<object> };
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
  /** Makes the directory of a plugin's own if it is not there. */
  dataDirectoryOf(plugin: PluginLocation): Promise<string>;
};

type Service = {
  readonly definition: PluginDefinition;
  readonly controller: AbortController;
  /** There once it was given the chance to start. */
  module: Partial<ServiceModule> | null;
};

/** Kinds of plugins that may run beside calls. */
const KINDS: ReadonlySet<string> = new Set(['service', 'hybridservice']);

/** A tool of the runtime's own has no module that could be loaded. */
const isService = ({ enabled, manifest }: PluginDefinition): boolean =>
  enabled && KINDS.has(manifest.pluginType) && manifest.entryPoint.type === 'module' && !isOfRuntime(manifest);

export const createServiceHost = (dependencies: ServiceHostDependencies): ServiceHost => {
  const { loader, limits, logger } = dependencies;
  const services = new Map<string, Service>();
  /** What is done with the services of one name, one after the other: a new version finds the ports of the old one free. */
  const turns = new Map<string, Promise<void>>();
  let isClosed = false;

  const inTurn = (name: string, work: () => Promise<void>) => {
    const turn = (turns.get(name) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      logger.error('service.fault', { toolName: name, fault: describeFault(error) });
    });
    turns.set(name, turn);
  };

  const start = (definition: PluginDefinition) => {
    const { manifest } = definition;
    const service: Service = { definition, controller: new AbortController(), module: null };
    const { signal } = service.controller;
    services.set(manifest.name, service);
    const log = boundLogger(logger, { toolName: manifest.name, version: manifest.version });
    inTurn(manifest.name, async () => {
      if (signal.aborted) return;
      try {
        await within({ timeoutMs: limits.serviceStartMs, signal }, async () => {
          const module = (await loader.load(definition)) as Partial<ServiceModule>;
          // A hybrid service may be nothing but its commands.
          if (signal.aborted || typeof module.initialize !== 'function') return;
          service.module = module;
          await module.initialize({
            config: dependencies.configurationOf(definition),
            dataDirectory: await dependencies.dataDirectoryOf(definition),
            logger: log,
            signal,
            ...createServiceEvents(manifest.name, signal, {
              ...dependencies,
              logger: boundLogger(dependencies.quietLogger, { toolName: manifest.name }),
            }),
          });
        });
        if (service.module !== null) log.info('service.started');
      } catch (error) {
        // One that is to end before it has started is only ended.
        if (signal.aborted) return;
        log.error('service.not-started', { fault: describeFault(error) });
        service.controller.abort();
      }
    });
  };

  const stop = (service: Service) => {
    const { name, version } = service.definition.manifest;
    if (services.get(name) === service) services.delete(name);
    service.controller.abort();
    const log = boundLogger(logger, { toolName: name, version });
    inTurn(name, async () => {
      const { module } = service;
      if (module === null) return;
      try {
        await within({ timeoutMs: limits.serviceStopMs }, async () => await module.shutdown?.());
        log.info('service.stopped');
      } catch (error) {
        log.error('service.not-stopped', { fault: describeFault(error) });
      }
    });
  };

  return {
    follow: (definitions) => {
      if (isClosed) return;
      const wanted = new Map<string, PluginDefinition>();
      for (const definition of definitions) if (isService(definition)) wanted.set(definition.manifest.name, definition);
      for (const [name, service] of services)
        if (wanted.get(name)?.manifest !== service.definition.manifest) stop(service);
      for (const [name, definition] of wanted) if (!services.has(name)) start(definition);
    },
    close: async () => {
      isClosed = true;
      for (const service of services.values()) stop(service);
      await Promise.all(turns.values());
    },
  };
};

/** What takes longer goes on by itself, and is not waited for. */
const within = async (
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  work: () => Promise<unknown>,
): Promise<void> => {
  const deadline = createDeadline({ now: 0, timeoutMs, signal });
  try {
    await raceWithSignal(work(), deadline.signal);
  } catch (error) {
    throw deadline.reason() !== 'timeout' ? error : new Error(`it took longer than ${timeoutMs} ms`, { cause: error });
  } finally {
    deadline.dispose();
  }
};
