import type { TransportAdapter, TransportCall } from '../../ports/transport.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';
import { compilePlugin } from '../../registry/compile-plugin.ts';
import { candidateOf, type PluginCandidate } from '../../registry/plugin-candidate.ts';
import { builtInLocation } from './built-in-location.ts';
import { markOfRuntime } from './of-runtime.ts';
import type { PluginSource } from '../plugin-service.ts';

/** A tool that is part of the runtime: a manifest like any other's, and a function in place of a program. */
export type BuiltInTool = {
  readonly manifest: JsonObject & { readonly name: string; readonly version: string };
  answer(call: TransportCall): Promise<JsonObject>;
};

/** The built-in tools as the rest of the runtime meets them: as plugins that are found, and calls that are carried. */
export type BuiltInTools = {
  /** The plugins of a source behind the built-in ones, which take their names first. */
  before(source: PluginSource): PluginSource;
  /** A transport that carries calls of built-in tools itself, and hands on all others. */
  carriedBy(direct: TransportAdapter): TransportAdapter;
};

export const createBuiltInTools = (tools: readonly BuiltInTool[]): BuiltInTools => {
  const byManifest = new Map<PluginManifest, BuiltInTool>();
  const candidates = tools.map((tool): PluginCandidate => {
    const { name, version } = tool.manifest;
    const location = builtInLocation(name);
    const compiled = compilePlugin({ text: JSON.stringify(tool.manifest), directory: null, location });
    const candidate = candidateOf(location, version, compiled, () => null);
    if (!candidate.ok) throw new Error(`${location}: ${candidate.refused.reason}`);
    byManifest.set(candidate.definition.manifest, tool);
    markOfRuntime(candidate.definition.manifest);
    return candidate;
  });
  return {
    before: (source) => ({
      read: async () => [...candidates, ...(await source.read())],
      mayStay: (definition) => byManifest.has(definition.manifest) || source.mayStay(definition),
    }),
    carriedBy: (direct) => ({
      ...direct,
      execute: async (call) => {
        const tool = byManifest.get(call.plugin.manifest);
        return tool === undefined ? await direct.execute(call) : { payload: await tool.answer(call), warnings: [] };
      },
    }),
  };
};
