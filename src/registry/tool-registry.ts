import { CALLABLE_PLUGIN_TYPES, type PluginType } from '../protocol/manifest.ts';
import type { RefusedPlugin } from '../protocol/tool-description.ts';
import { compilePlugin, type FoundManifest } from './compile-plugin.ts';
import { nextSnapshot } from './next-snapshot.ts';
import { candidateOf, type PluginCandidate } from './plugin-candidate.ts';
import type { PluginDefinition } from './plugin-definition.ts';
import { EMPTY_SNAPSHOT, type RegistrySnapshot } from './registry-snapshot.ts';

/** The tools that can be called now, and the plugins that are refused. */
export type ToolRegistry = {
  get(toolName: string): PluginDefinition | null;
  /** In order of name. */
  list(): readonly PluginDefinition[];
  refused(): readonly RefusedPlugin[];
};

/** A registry whose state can be replaced while calls run. Each keeps the definition that it began with. */
export type LiveRegistry = ToolRegistry & {
  current(): RegistrySnapshot;
  replace(next: RegistrySnapshot): void;
  /** The plugins of some types, as a registry of their own: what is not called as a tool serves by other ways. */
  only(types: ReadonlySet<PluginType>): ToolRegistry;
  /** Tells of each new state, from now on; gives the function that ends it. */
  onReplaced(listener: () => void): () => void;
};

export const createLiveRegistry = (initial: RegistrySnapshot = EMPTY_SNAPSHOT): LiveRegistry => {
  let current = initial;
  const listeners = new Set<() => void>();
  const refused = () => current.entries.flatMap((entry) => (entry.refused === null ? [] : [entry.refused]));
  const only = (types: ReadonlySet<PluginType>): ToolRegistry => {
    const isMeant = ({ manifest }: PluginDefinition) => types.has(manifest.pluginType);
    return {
      get: (name) => {
        const found = current.tools.get(name) ?? null;
        return found !== null && isMeant(found) ? found : null;
      },
      list: () => [...current.tools.values()].filter(isMeant),
      refused,
    };
  };
  return {
    ...only(CALLABLE_PLUGIN_TYPES),
    only,
    current: () => current,
    replace: (next) => {
      current = next;
      for (const listener of listeners) listener();
    },
    onReplaced: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/**
 * A registry of what is given, compiled once. A plugin that fails, or takes a name that is taken, or that `admit`
 * (what this runtime can run) turns away, is refused alone; the others are served. `unreadable` are those that could
 * not even be read.
 */
export const createToolRegistry = (
  found: Iterable<FoundManifest>,
  admit: (definition: PluginDefinition) => string | null = () => null,
  unreadable: readonly RefusedPlugin[] = [],
): LiveRegistry => {
  const candidates: PluginCandidate[] = [
    ...unreadable.map((refused) => ({ ok: false, location: refused.location, revision: '', refused }) as const),
    ...[...found].map((manifest) => candidateOf(manifest.location, manifest.text, compilePlugin(manifest), admit)),
  ];
  const rules = { switches: new Map(), now: 0, mayStay: () => false };
  return createLiveRegistry(nextSnapshot(EMPTY_SNAPSHOT, candidates, rules));
};
