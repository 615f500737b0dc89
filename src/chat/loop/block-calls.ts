import type { InstructionCall } from '../../instruction/instruction-call.ts';
import type { Diagnostic } from '../../instruction/diagnostic.ts';
import type { InstructionBlock } from '../../instruction/parser-event.ts';
import { readInstruction } from '../../instruction/read-instruction.ts';
import type { KnownTool } from '../../instruction/select-command.ts';
import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { Limits } from '../../lib/limits.ts';
import type { ChatMessage } from '../../ports/language-model.ts';
import type { Pause } from '../../ports/pause.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import type { Actor } from '../../protocol/invocation.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { ToolRuntime } from '../../runtime/tool-runtime.ts';
import type { ChatCaller } from './chat-caller.ts';
import { presentToModel, type PresentationToModel } from './present-to-model.ts';
import { riverOf } from './river-of.ts';
import { samenessOf } from './sameness.ts';
import type { ToolReport } from './tool-report.ts';

/** A call that is to be made later: what became of it, in words for the model. */
export type CallForLater = (
  call: { readonly toolName: string; readonly arguments: JsonObject; readonly actor: Actor; readonly at: string },
  caller: ChatCaller,
) => Promise<{ readonly ok: boolean; readonly message: string }>;

export type BlockCallDependencies = PresentationToModel & {
  readonly runtime: Pick<ToolRuntime, 'execute'>;
  readonly registry: Pick<ToolRegistry, 'get'>;
  readonly callLater: CallForLater | null;
  readonly pause: Pick<Pause, 'sleep'>;
  readonly limits: Pick<Limits, 'auditDataCharacters' | 'chatResultCharacters' | 'chatRiverBytes' | 'instructionSteps'>;
};

/** A conversation as its calls see it. */
export type CallingConversation = {
  readonly caller: ChatCaller;
  readonly mediaRules: MediaRules;
  readonly messages: readonly ChatMessage[];
  /** Ends the calls that the model waits for. */
  readonly signal: AbortSignal;
};

/** A block that is being run: its report, or null when the model asked not to be told. */
export type RunningBlock = { readonly report: Promise<ToolReport | null> };

/** Runs the blocks of a model's answer; each starts as soon as it is there. */
export const createBlockCalls = (dependencies: BlockCallDependencies) => {
  const { runtime, registry, callLater, pause, limits } = dependencies;

  const findTool =
    ({ isOffered }: ChatCaller) =>
    (name: string): KnownTool | null => {
      const plugin = isOffered(name) ? registry.get(name) : null;
      if (plugin === null) return null;
      const commands = [...plugin.commands.values()].map(({ command }) => command);
      return { commandField: plugin.manifest.commandField, commands };
    };

  /** One call of a block, to its end. */
  const runOne = async (
    call: InstructionCall,
    args: JsonObject,
    { caller, mediaRules, messages }: CallingConversation,
    signal: AbortSignal | null,
  ): Promise<ToolReport> => {
    const { toolName, controls } = call;
    const about = { title: toolName, isVisible: controls.markHistory };
    const actor = actorOf(call, caller);
    const refusal = caller.refuseCall(toolName);
    if (refusal !== null) return refused(about, refusal);
    if (controls.timelyContact !== null) {
      if (callLater === null) return refused(about, 'this server cannot make calls later; make it now, or not at all');
      const later = { toolName, arguments: args, actor, at: controls.timelyContact };
      const { ok, message } = await callLater(later, caller);
      return { ...about, text: neutraliseMarkers(message), media: [], isError: !ok, sameness: null };
    }
    const { river } = controls;
    const result = await runtime.execute({
      toolName,
      arguments: args,
      context: {
        source: 'ai-loop',
        actor,
        requestIp: caller.requestIp,
        requestId: caller.requestId,
        owner: caller.owner,
        maySee: caller.maySee,
        isOffered: caller.isOffered,
        ...(river === null ? {} : { conversation: riverOf(river, messages, limits.chatRiverBytes) }),
        ...(caller.trace === undefined ? {} : { trace: caller.trace }),
        ...(signal === null ? {} : { signal }),
      },
      warnings: call.warnings.map(({ code, message }) => ({ code, message, target: null, details: null })),
    });
    const presented = await presentToModel(result, caller, mediaRules, dependencies);
    return {
      ...about,
      ...presented,
      isError: result.error !== null,
      sameness: await samenessOf(toolName, args, result),
    };
  };

  /** The steps of a series one after another. What comes after a step that failed is not run. */
  const runAll = async (call: InstructionCall, conversation: CallingConversation, signal: AbortSignal | null) => {
    const reports: ToolReport[] = [];
    for (const { arguments: args } of call.calls) {
      const report = await runOne(call, args, conversation, signal);
      reports.push(report);
      if (report.isError || signal?.aborted === true) break;
    }
    return joined(call, reports);
  };

  /** The error of a call that nobody waits for, if it comes soon. */
  const soonError = async (running: Promise<ToolReport>): Promise<ToolReport | null> => {
    const over = new AbortController();
    running.catch(() => undefined);
    const patience = pause.sleep(SOON_MS, over.signal).then(
      () => null,
      () => null,
    );
    const first = await Promise.race([running, patience]);
    over.abort();
    return first?.isError === true ? first : null;
  };

  return {
    begin: (block: InstructionBlock, number: number, conversation: CallingConversation): RunningBlock => {
      const read = readInstruction(block, { findTool: findTool(conversation.caller), limits });
      if (!read.ok) return { report: Promise.resolve(notRun(number, read.diagnostics)) };
      const { call } = read;
      const { toolName, controls } = call;
      if (!conversation.caller.isOffered(toolName) && registry.get(toolName) !== null) {
        const about = { title: toolName, isVisible: false };
        return {
          report: Promise.resolve(refused(about, `the tool "${toolName}" may not be used in this conversation`)),
        };
      }
      if (controls.archery === null) return { report: runAll(call, conversation, conversation.signal) };
      // Nobody waits for it, so whoever leaves does not end it.
      const running = runAll(call, conversation, null);
      if (controls.archery === 'true') return { report: soonError(running) };
      running.catch(() => undefined);
      return { report: Promise.resolve(acceptedOnly(toolName)) };
    },
  };
};

export type BlockCalls = ReturnType<typeof createBlockCalls>;

const actorOf = ({ controls: { maid } }: InstructionCall, { actor }: ChatCaller): Actor =>
  maid === null ? actor : { type: 'agent', id: actor.id, name: maid, maid };

type About = Pick<ToolReport, 'title' | 'isVisible'>;

const refused = (about: About, reason: string): ToolReport => ({
  ...about,
  text: `Not run: ${reason}.`,
  media: [],
  isError: true,
  sameness: `${about.title} ${reason}`,
});

const notRun = (number: number, diagnostics: readonly Diagnostic[]): ToolReport => {
  const lines = diagnostics.map(({ code, message }) => `${code}: ${message}`);
  const text = neutraliseMarkers(`Not run, because it was not said whole.\n${lines.join('\n')}`);
  return { title: `block ${number}`, text, media: [], isError: true, sameness: text, isVisible: false };
};

const acceptedOnly = (toolName: string): ToolReport => ({
  title: toolName,
  text: 'Accepted. It runs on its own, and no result will follow.',
  media: [],
  isError: false,
  sameness: null,
  isVisible: false,
});

/** Milliseconds that a call without a waiting model is given to fail: what it says by then is told. */
const SOON_MS = 100;

const joined = (call: InstructionCall, reports: readonly ToolReport[]): ToolReport => {
  const [only] = reports;
  if (call.calls.length === 1 && only !== undefined) return only;
  const left = call.calls.length - reports.length;
  const texts = reports.map(({ text }, index) => `Step ${index + 1} of ${call.calls.length}:\n${text}`);
  if (left > 0) texts.push(`The last ${left} steps were not run, because step ${reports.length} failed.`);
  const sameness = reports.map((report) => report.sameness);
  return {
    title: call.toolName,
    text: texts.join('\n\n'),
    media: reports.flatMap(({ media }) => media),
    isError: reports.some(({ isError }) => isError),
    sameness: sameness.includes(null) ? null : sameness.join(' '),
    isVisible: call.controls.markHistory,
  };
};
