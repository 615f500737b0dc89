import { CALLABLE_PLUGIN_TYPES } from '../protocol/manifest.ts';
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
};

export const createLiveRegistry = (initial: RegistrySnapshot = EMPTY_SNAPSHOT): LiveRegistry => {
  let current = initial;
  return {
    get: (toolName) => {
      const plugin = current.tools.get(toolName);
      return plugin !== undefined && isTool(plugin) ? plugin : null;
    },
    list: () => [...current.tools.values()].filter(isTool),
    refused: () => current.entries.flatMap(({ refused }) => (refused === null ? [] : [refused])),
    current: () => current,
    replace: (next) => {
      current = next;
    },
  };
};

/** A service without commands runs, and is no tool. */
const isTool = ({ manifest }: PluginDefinition): boolean => CALLABLE_PLUGIN_TYPES.has(manifest.pluginType);

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
