import { excerpt } from '../../lib/excerpt.ts';
import type { Limits } from '../../lib/limits.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';
import { describeTool } from '../../registry/describe-tool.ts';
import type { PluginDefinition } from '../../registry/plugin-definition.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import { plainValue, type VariableSource } from '../variables/variable-source.ts';
import { describeToolForModel, type ToolRequestWriter } from './describe-tool-for-model.ts';
import { listWithinBudget } from './list-within-budget.ts';
import { modelWords } from './model-words.ts';

export type ToolVariableOptions = {
  readonly registry: Pick<ToolRegistry, 'get' | 'list'>;
  readonly writeToolRequest: ToolRequestWriter;
  readonly locale: string;
  readonly limits: Pick<Limits, 'toolListCharacters' | 'variableCharacters'>;
};

/** Variables of the tools that one caller may use. */
export type ToolVariables = { offeredTo(isOffered: (toolName: string) => boolean): VariableSource };

const PREFIX = 'VCP';

/**
 * `{{VCPToolGuide}}` says how tools are called, `{{VCP<Tool>}}` describes one, `{{VCPAllTools}}` is the guide with all of
 * them. What is switched off, or not for this caller, is not there. A version of a tool is described once.
 */
export const createToolVariables = (options: ToolVariableOptions): ToolVariables => {
  const { registry, writeToolRequest, limits } = options;
  const words = modelWords(options.locale);
  const described = new WeakMap<PluginManifest, string>();
  const guide = words.guide(writeToolRequest({ toolName: 'ToolName', arguments: { argument: 'value' } }));

  const textOf = (tool: PluginDefinition): string => {
    const known = described.get(tool.manifest);
    if (known !== undefined) return known;
    const text = excerpt(
      describeToolForModel(describeTool(tool), words, writeToolRequest),
      limits.variableCharacters - 1,
    );
    described.set(tool.manifest, text);
    return text;
  };

  return {
    offeredTo: (isOffered) => {
      const isThere = ({ enabled, manifest }: PluginDefinition) => enabled && isOffered(manifest.name);
      const all = (): string => {
        const tools = registry.list().filter(isThere);
        if (tools.length === 0) return words.noTools;
        const named = tools.map((tool) => ({ name: tool.manifest.name, text: () => textOf(tool) }));
        return `${guide}\n\n${listWithinBudget(named, limits.toolListCharacters, words)}`;
      };
      return {
        find: (name) => {
          if (!name.startsWith(PREFIX)) return null;
          if (name === 'VCPAllTools') return plainValue(all());
          if (name === 'VCPToolGuide') return plainValue(guide);
          const tool = registry.get(name.slice(PREFIX.length));
          return tool !== null && isThere(tool) ? plainValue(textOf(tool)) : null;
        },
      };
    },
  };
};
