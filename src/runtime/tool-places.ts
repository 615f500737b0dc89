import type { Limits } from '../lib/limits.ts';
import { createSemaphore, type Semaphore } from '../lib/semaphore.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import { concurrencyOf } from '../transport/concurrency-of.ts';

/** Calls of one tool that have a place, and that wait for one. */
export type ToolLoad = { readonly toolName: string; readonly running: number; readonly waiting: number };

export type ToolPlaces = {
  load(): readonly ToolLoad[];
  /** Waits until a call of this tool may run, and gives back the function that frees its place. */
  enter(plugin: PluginDefinition, signal: AbortSignal): Promise<() => void>;
};

/**
 * How many calls of a tool run at once. All versions of a tool share its places: calls of an old version count until
 * they end, and how many there are is what the version in service says. Tools that are gone are forgotten.
 */
export const createToolPlaces = (registry: ToolRegistry, limits: Limits): ToolPlaces => {
  const tools = new Map<string, Semaphore>();

  const allowed = (plugin: PluginDefinition): number =>
    concurrencyOf((registry.get(plugin.manifest.name) ?? plugin).manifest, limits);

  const forgetRemoved = () => {
    for (const [name, places] of tools) {
      if (places.running === 0 && places.waiting === 0 && registry.get(name) === null) tools.delete(name);
    }
  };

  const placesOf = (plugin: PluginDefinition): Semaphore => {
    const { name } = plugin.manifest;
    const known = tools.get(name);
    if (known !== undefined) {
      known.resize(allowed(plugin));
      return known;
    }
    forgetRemoved();
    const created = createSemaphore(allowed(plugin), limits.queuedCalls);
    tools.set(name, created);
    return created;
  };

  return {
    load: () => {
      forgetRemoved();
      return [...tools].map(([toolName, { running, waiting }]) => ({ toolName, running, waiting }));
    },
    enter: async (plugin, signal) => {
      const places = placesOf(plugin);
      const release = await places.acquire(signal);
      return () => {
        places.resize(allowed(plugin));
        release();
      };
    },
  };
};
