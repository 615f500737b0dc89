import type { JsonObject } from '../../protocol/json.ts';
import type { CallingConversation } from './calling-conversation.ts';
import type { NamedFunction } from './function-names.ts';
import type { RunTool } from './run-tool.ts';
import type { ToolReport } from './tool-report.ts';

/** Runs the functions that a model calls natively. */
export type FunctionCalls = {
  /** `args` is null when the model's text for them is no JSON object. */
  run(named: NamedFunction, args: JsonObject | null, conversation: CallingConversation): Promise<ToolReport>;
};

export const createFunctionCalls = (runTool: RunTool): FunctionCalls => ({
  run: async ({ toolName, name, discriminator }, args, conversation) => {
    if (args === null) {
      const text = 'Not run: its arguments are not a JSON object.';
      return { title: name, text, media: [], isError: true, sameness: `${name} ${text}`, isVisible: false };
    }
    return await runTool(
      {
        toolName,
        arguments: { ...args, ...discriminator },
        actor: conversation.caller.actor,
        river: null,
        warnings: [],
        isVisible: false,
      },
      conversation,
      conversation.signal,
    );
  },
});
