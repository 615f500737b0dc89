// The plugins of a test, steered as those of a server are. Portable: no runtime's own modules.
import type { Logger } from '../../src/ports/logger.ts';
import type { PluginSwitches } from '../../src/ports/plugin-switches.ts';
import type { PluginCandidate } from '../../src/registry/plugin-candidate.ts';
import type { LiveRegistry } from '../../src/registry/tool-registry.ts';
import type { BuiltInTools } from '../../src/runtime/built-in/built-in-tools.ts';
import { createPluginService, type PluginService } from '../../src/runtime/plugin-service.ts';
import type { Transports } from '../../src/transport/select-transport.ts';

export const createMemorySwitches = (): PluginSwitches => {
  const words = new Map<string, boolean>();
  return {
    read: async () => new Map(words),
    set: async (name, enabled) => {
      if (enabled === null) words.delete(name);
      else words.set(name, enabled);
    },
  };
};

/** A service that finds again what the registry holds. */
export const createFixedPluginService = (
  registry: LiveRegistry,
  transports: Transports,
  logger: Logger,
  builtIn?: BuiltInTools,
): PluginService => {
  const found = registry
    .current()
    .entries.map(({ location, version, refused }): PluginCandidate =>
      version === null
        ? { location, revision: '', ok: false, refused: refused! }
        : { location, revision: version.revision, ok: true, definition: version.definition },
    );
  const source = { read: async () => found, mayStay: () => true };
  return createPluginService({
    registry,
    source: builtIn?.before(source) ?? source,
    switches: createMemorySwitches(),
    transports,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger,
  });
};
