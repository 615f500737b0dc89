import type { River } from '../../instruction/instruction-call.ts';
import type { Limits } from '../../lib/limits.ts';
import type { Actor } from '../../protocol/invocation.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Warning } from '../../protocol/warning.ts';
import type { ToolRuntime } from '../../runtime/tool-runtime.ts';
import type { CallingConversation } from './calling-conversation.ts';
import { presentToModel, type PresentationToModel } from './present-to-model.ts';
import { riverOf } from './river-of.ts';
import { samenessOf } from './sameness.ts';
import { refusedReport, type ToolReport } from './tool-report.ts';

/** One call that a model has made, however it was written. */
export type SpokenCall = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly actor: Actor;
  readonly river: River | null;
  readonly warnings: readonly Warning[];
  readonly isVisible: boolean;
};

/** Runs a call to its end, and says what the model is told of it. Without a signal, only the server's stop ends it. */
export type RunTool = (
  call: SpokenCall,
  conversation: CallingConversation,
  signal: AbortSignal | null,
) => Promise<ToolReport>;

export type RunToolDependencies = PresentationToModel & {
  readonly runtime: Pick<ToolRuntime, 'execute'>;
  readonly limits: Pick<Limits, 'auditDataCharacters' | 'chatResultCharacters' | 'chatRiverBytes'>;
};

export const createRunTool =
  (dependencies: RunToolDependencies): RunTool =>
  async (call, { caller, media, messages }, signal) => {
    const { runtime, limits } = dependencies;
    const { toolName, arguments: args, river, isVisible } = call;
    const about = { title: toolName, isVisible };
    const refusal = caller.refuseCall(toolName);
    if (refusal !== null) return refusedReport(about, refusal);
    const result = await runtime.execute({
      toolName,
      arguments: args,
      context: {
        source: 'ai-loop',
        actor: call.actor,
        requestIp: caller.requestIp,
        requestId: caller.requestId,
        owner: caller.owner,
        roles: caller.viewer.roles,
        maySee: caller.maySee,
        isOffered: caller.isOffered,
        ...(river === null ? {} : { conversation: riverOf(river, messages, limits.chatRiverBytes) }),
        ...(caller.trace === undefined ? {} : { trace: caller.trace }),
        ...(signal === null ? {} : { signal }),
      },
      warnings: call.warnings,
    });
    return {
      ...about,
      ...(await presentToModel(result, caller, media, dependencies)),
      isError: result.error !== null,
      sameness: await samenessOf(toolName, args, result),
    };
  };
