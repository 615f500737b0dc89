import type { BlockDisplay } from '../instruction/create-instruction-parser.ts';
import { isJsonObject } from '../lib/is-json-object.ts';
import type { Limits } from '../lib/limits.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelAnswer, ModelEvent } from '../ports/language-model.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { Logger } from '../ports/logger.ts';
import type { MediaRules } from '../ports/media-rules.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { BlockCalls } from './loop/block-calls.ts';
import type { ConversationMedia } from './loop/calling-conversation.ts';
import type { ChatCaller } from './loop/chat-caller.ts';
import { runConversation } from './loop/chat-loop.ts';
import type { FunctionCalls } from './loop/function-calls.ts';
import { nameFunctions } from './loop/function-names.ts';
import { createMediaBudget } from './loop/media-budget.ts';
import { nativeRounds } from './loop/native-round.ts';
import type { PlayRound } from './loop/round.ts';
import { textRounds } from './loop/text-round.ts';
import { collectAnswer } from './models/collect-answer.ts';
import { objectsOf } from './models/json-fields.ts';
import { createChatObserver } from './observe-chat.ts';

/** How a model calls tools: by blocks in its text, as its vendor's functions, or not at all. */
export type ToolUse = 'text' | 'native' | 'off';

/** How one request wants its tools; what is left out is as the operator has set it. */
export type ChatOptions = {
  readonly toolUse?: ToolUse;
  readonly display?: BlockDisplay;
  readonly media?: MediaUse;
};

/** Which files of results the model is given: those that its interface takes, or none. */
export type MediaUse = 'auto' | 'none';

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
  readonly media: MediaUse;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  /** Hears what models say. */
  readonly events: EventSink;
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

  const observer = createChatObserver(dependencies.telemetry, dependencies.logger, dependencies.events);

  const roundsOf = async (
    request: ChatRequest,
    caller: ChatCaller,
    toolUse: 'text' | 'native',
    options: ChatOptions,
  ): Promise<PlayRound> => {
    const { display = dependencies.display, media: mediaUse = dependencies.media } = options;
    const rules = mediaUse === 'none' ? NO_MEDIA : model.mediaRules;
    const media: ConversationMedia = { rules, budget: createMediaBudget(limits.chatMediaBytes) };
    if (toolUse === 'text')
      return textRounds({ model, calls: blockCalls, request, caller, display, runFenced, media, limits });
    const offered = registry.list().filter(({ enabled, manifest }) => enabled && caller.isOffered(manifest.name));
    const functions = await nameFunctions(offered, functionNamesOf(request));
    return nativeRounds({ model, calls: functionCalls, request, caller, functions, media, limits });
  };

  return {
    model,
    start: async (asked, caller, options) => {
      const { signal } = options;
      // Several answers at once have no one conversation that could go on.
      const wanted = severalAnswers(asked) ? 'off' : (options.toolUse ?? dependencies.toolUse);
      const prepared = await prepare(asked, caller, { toolUse: wanted, signal });
      if (!prepared.ok) return prepared;
      const request: ChatRequest = { ...asked, messages: prepared.messages };
      const toolUse = prepared.toolUse === 'forbidden' ? 'off' : wanted;
      const { requestId, owner, trace } = caller;
      const observation = observer.begin({ requestId, owner, model: asked.model, toolUse, trace, signal });
      if (toolUse === 'off') {
        observation.round();
        return {
          ok: true,
          stream: () => observation.watch(model.stream(request, { signal })),
          whole: () => observation.watchWhole(model.complete(request, { signal })),
        };
      }
      const play = await roundsOf(request, { ...caller, trace: observation.trace }, toolUse, options);
      const run = { messages: request.messages, play, signal, onRound: observation.round, limits };
      const stream = () => observation.watch(runConversation(run));
      return { ok: true, stream, whole: () => collectAnswer(stream()) };
    },
  };
};

const severalAnswers = ({ n }: ChatRequest): boolean => typeof n === 'number' && n > 1;

const NO_MEDIA: MediaRules = { byUrl: [], byBytes: [] };

/** The names of the client's own functions, in all forms that OpenAI has had for them. */
const functionNamesOf = ({ tools, functions }: ChatRequest): ReadonlySet<string> =>
  new Set(
    [tools, functions].flatMap(objectsOf).flatMap((tool) => {
      const { name } = [tool['function'], tool['custom']].find(isJsonObject) ?? tool;
      return typeof name === 'string' ? [name] : [];
    }),
  );
