import type { BlockDisplay } from '../instruction/create-instruction-parser.ts';
import type { Limits } from '../lib/limits.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelAnswer, ModelEvent } from '../ports/language-model.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import { untilInterrupted } from './interrupted.ts';
import type { BlockCalls } from './loop/block-calls.ts';
import type { ChatCaller } from './loop/chat-caller.ts';
import { runConversation } from './loop/chat-loop.ts';
import type { FunctionCalls } from './loop/function-calls.ts';
import { nameFunctions } from './loop/function-names.ts';
import { nativeRounds } from './loop/native-round.ts';
import type { PlayRound } from './loop/round.ts';
import { textRounds } from './loop/text-round.ts';
import { collectAnswer } from './models/collect-answer.ts';

/** How a model calls tools: by blocks in its text, as its vendor's functions, or not at all. */
export type ToolUse = 'text' | 'native' | 'off';

/** How one request wants its tools; what is left out is as the operator has set it. */
export type ChatOptions = { readonly toolUse?: ToolUse; readonly display?: BlockDisplay };

export type PreparedMessages =
  | { readonly ok: true; readonly messages: readonly ChatMessage[]; readonly toolUse: 'allowed' | 'forbidden' }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Fills in variables, adds what the model is told of its tools, and lets the messages pass the preprocessors. */
export type PrepareMessages = (
  request: ChatRequest,
  caller: ChatCaller,
  options: { readonly toolUse: ToolUse; readonly signal: AbortSignal },
) => Promise<PreparedMessages>;

export type ChatServiceDependencies = {
  readonly model: LanguageModel;
  readonly registry: Pick<ToolRegistry, 'list'>;
  readonly blockCalls: BlockCalls;
  readonly functionCalls: FunctionCalls;
  readonly prepare: PrepareMessages;
  readonly toolUse: ToolUse;
  readonly display: BlockDisplay;
  /** Whether blocks in fenced code are calls too. */
  readonly runFenced: boolean;
  readonly limits: Limits;
};

export type StartedChat =
  | {
      readonly ok: true;
      /** Whichever is wanted; one of them may be asked for, once. */
      stream(): AsyncGenerator<ModelEvent>;
      whole(): Promise<ModelAnswer>;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Conversations with a model that has the server's tools. */
export type ChatService = {
  readonly model: LanguageModel;
  start(
    request: ChatRequest,
    caller: ChatCaller,
    options: ChatOptions & { readonly signal: AbortSignal },
  ): Promise<StartedChat>;
};

export const createChatService = (dependencies: ChatServiceDependencies): ChatService => {
  const { model, registry, blockCalls, functionCalls, prepare, runFenced, limits } = dependencies;

  const roundsOf = async (
    request: ChatRequest,
    caller: ChatCaller,
    { toolUse, display }: { readonly toolUse: 'text' | 'native'; readonly display: BlockDisplay },
  ): Promise<PlayRound> => {
    if (toolUse === 'text')
      return textRounds({ model, calls: blockCalls, request, caller, display, runFenced, limits });
    const offered = registry.list().filter(({ enabled, manifest }) => enabled && caller.isOffered(manifest.name));
    const functions = await nameFunctions(offered, functionNamesOf(request));
    return nativeRounds({ model, calls: functionCalls, request, caller, functions, limits });
  };

  return {
    model,
    start: async (asked, caller, options) => {
      const { signal, display = dependencies.display } = options;
      // Several answers at once have no one conversation that could go on.
      const wanted = severalAnswers(asked) ? 'off' : (options.toolUse ?? dependencies.toolUse);
      const prepared = await prepare(asked, caller, { toolUse: wanted, signal });
      if (!prepared.ok) return prepared;
      const request: ChatRequest = { ...asked, messages: prepared.messages };
      const toolUse = prepared.toolUse === 'forbidden' ? 'off' : wanted;
      if (toolUse === 'off') {
        return {
          ok: true,
          stream: () => untilInterrupted(model.stream(request, { signal }), signal),
          whole: () => model.complete(request, { signal }),
        };
      }
      const play = await roundsOf(request, caller, { toolUse, display });
      const stream = () =>
        untilInterrupted(runConversation({ messages: request.messages, play, signal, limits }), signal);
      return { ok: true, stream, whole: () => collectAnswer(stream()) };
    },
  };
};

const severalAnswers = ({ n }: ChatRequest): boolean => typeof n === 'number' && n > 1;

/** The names of the client's own functions. */
const functionNamesOf = ({ tools }: ChatRequest): ReadonlySet<string> =>
  new Set(
    (Array.isArray(tools) ? tools : []).flatMap((tool) => {
      const { name } = (tool as { function?: { name?: unknown } }).function ?? {};
      return typeof name === 'string' ? [name] : [];
    }),
  );
