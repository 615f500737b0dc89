import type { InstructionCall, InstructionControls } from '../../instruction/instruction-call.ts';
import type { Diagnostic } from '../../instruction/diagnostic.ts';
import type { InstructionBlock } from '../../instruction/parser-event.ts';
import { readInstruction } from '../../instruction/read-instruction.ts';
import type { KnownTool } from '../../instruction/select-command.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { Limits } from '../../lib/limits.ts';
import { suggestName } from '../../lib/suggest.ts';
import type { Pause } from '../../ports/pause.ts';
import type { Actor } from '../../protocol/invocation.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { CallingConversation } from './calling-conversation.ts';
import type { ChatCaller } from './chat-caller.ts';
import type { RunTool } from './run-tool.ts';
import { refusedReport, type ToolReport } from './tool-report.ts';

/** A call that is to be made later: what became of it, in words for the model. */
export type CallForLater = (
  call: { readonly toolName: string; readonly arguments: JsonObject; readonly actor: Actor; readonly at: string },
  caller: ChatCaller,
) => Promise<{ readonly ok: boolean; readonly message: string }>;

export type BlockCallDependencies = {
  readonly runTool: RunTool;
  readonly registry: Pick<ToolRegistry, 'get' | 'list'>;
  readonly callLater: CallForLater | null;
  readonly pause: Pick<Pause, 'sleep'>;
  readonly limits: Pick<Limits, 'instructionSteps'>;
};

/** A block that is being run: its report, or null when the model asked not to be told. */
export type RunningBlock = { readonly report: Promise<ToolReport | null> };

/** Runs the blocks of a model's answer; each starts as soon as it is there. */
export const createBlockCalls = ({ runTool, registry, callLater, pause, limits }: BlockCallDependencies) => {
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
    { toolName, controls, warnings }: InstructionCall,
    args: JsonObject,
    conversation: CallingConversation,
    signal: AbortSignal | null,
  ): Promise<ToolReport> => {
    const { caller } = conversation;
    const isVisible = controls.markHistory;
    const actor = actorOf(controls, caller);
    if (controls.timelyContact !== null) {
      const about = { title: toolName, isVisible };
      if (callLater === null)
        return refusedReport(about, 'this server makes no calls later; make it now, or not at all');
      const later = { toolName, arguments: args, actor, at: controls.timelyContact };
      const { ok, message } = await callLater(later, caller);
      return { ...about, text: neutraliseMarkers(message), media: [], isError: !ok, sameness: null };
    }
    return await runTool(
      {
        toolName,
        arguments: args,
        actor,
        river: controls.river,
        warnings: warnings.map(({ code, message }) => ({ code, message, target: null, details: null })),
        isVisible,
      },
      conversation,
      signal,
    );
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

  /** The same for tools that the caller may not use and for those that nobody has: their names would be news. */
  const notOffered = (toolName: string, { isOffered }: ChatCaller): string => {
    const names = registry.list().map(({ manifest }) => manifest.name);
    const near = suggestName(toolName, names.filter(isOffered));
    const said = JSON.stringify(excerpt(toolName, LONGEST_NAME));
    return `there is no tool ${said} in this conversation${near === null ? '' : `; did you mean ${near}?`}`;
  };

  return {
    begin: (block: InstructionBlock, number: number, conversation: CallingConversation): RunningBlock => {
      const read = readInstruction(block, { findTool: findTool(conversation.caller), limits });
      if (!read.ok) return { report: Promise.resolve(notRun(number, read.diagnostics)) };
      const { call } = read;
      const { toolName, controls } = call;
      if (!conversation.caller.isOffered(toolName)) {
        const about = { title: toolName, isVisible: false };
        return { report: Promise.resolve(refusedReport(about, notOffered(toolName, conversation.caller))) };
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

const actorOf = ({ maid }: InstructionControls, { actor }: ChatCaller): Actor =>
  maid === null ? actor : { type: 'agent', id: actor.id, name: maid, maid };

const notRun = (number: number, diagnostics: readonly Diagnostic[]): ToolReport => {
  const lines = diagnostics.map(({ code, message }) => `${code}: ${message}`);
  const text = neutraliseMarkers(`Not run, because it was not said whole.\n${lines.join('\n')}`);
  return { title: `block ${number}`, text, media: [], isError: true, sameness: text, isVisible: false };
};

/** Characters of a tool's name that a model is told again. */
const LONGEST_NAME = 64;

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
