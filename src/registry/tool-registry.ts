import { CALLABLE_PLUGIN_TYPES } from '../protocol/manifest.ts';
import { compilePlugin, type FoundManifest } from './compile-plugin.ts';
import type { RefusedPlugin } from '../protocol/tool-description.ts';
import type { PluginDefinition } from './plugin-definition.ts';

/** The tools that can be called, and the plugins that were refused. */
export type ToolRegistry = {
  get(toolName: string): PluginDefinition | null;
  /** In order of name. */
  list(): readonly PluginDefinition[];
  refused(): readonly RefusedPlugin[];
};

/**
 * Compiles every manifest once, at start. A plugin that fails, or takes a name that is taken, or that `admit` (what
 * this runtime can run) turns away, is refused alone; the others are served. `unreadable` are those that could not even
 * be read.
 */
export const createToolRegistry = (
  found: Iterable<FoundManifest>,
  admit: (definition: PluginDefinition) => string | null = () => null,
  unreadable: readonly RefusedPlugin[] = [],
): ToolRegistry => {
  const tools = new Map<string, PluginDefinition>();
  const refused: RefusedPlugin[] = [...unreadable];
  const locations = new Map<string, string>();

  for (const manifest of found) {
    const compiled = compilePlugin(manifest);
    if (!compiled.ok) {
      refused.push(compiled.refused);
      continue;
    }
    const { definition } = compiled;
    const { name, pluginType } = definition.manifest;
    const taken = locations.get(name);
    const reason =
      taken !== undefined
        ? `the name "${name}" is taken by the plugin in ${taken}`
        : CALLABLE_PLUGIN_TYPES.has(pluginType)
          ? admit(definition)
          : `pluginType "${pluginType}" is not served by this version`;
    if (reason !== null) {
      refused.push({ name, location: manifest.location, reason, issues: [] });
      continue;
    }
    locations.set(name, manifest.location);
    tools.set(name, definition);
  }

  const ordered = [...tools.values()].toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  return { get: (toolName) => tools.get(toolName) ?? null, list: () => ordered, refused: () => refused };
};
