import type { BlockDisplay } from '../instruction/create-instruction-parser.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelAnswer, ModelEvent } from '../ports/language-model.ts';
import { untilInterrupted } from './interrupted.ts';
import type { ChatCaller } from './loop/chat-caller.ts';
import type { ChatLoop } from './loop/chat-loop.ts';
import { collectAnswer } from './models/collect-answer.ts';

/** How one request wants its tools. */
export type ChatOptions = {
  /** `off`: nothing in the answer is a call. */
  readonly tools: 'text' | 'off';
  /** What is seen of a call in the answer; the operator's setting when it is not said. */
  readonly display?: BlockDisplay;
};

export type PreparedMessages =
  | { readonly ok: true; readonly messages: readonly ChatMessage[]; readonly toolUse: 'allowed' | 'forbidden' }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type ChatServiceDependencies = {
  readonly model: LanguageModel;
  readonly loop: ChatLoop;
  /** Fills in variables, adds what the model is told of its tools, and lets the messages pass the preprocessors. */
  prepare(
    request: ChatRequest,
    caller: ChatCaller,
    options: ChatOptions & { readonly signal: AbortSignal },
  ): Promise<PreparedMessages>;
  readonly display: BlockDisplay;
  readonly runFenced: boolean;
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
  start(
    request: ChatRequest,
    caller: ChatCaller,
    options: ChatOptions & { readonly signal: AbortSignal },
  ): Promise<StartedChat>;
  readonly model: LanguageModel;
};

export const createChatService = ({
  model,
  loop,
  prepare,
  runFenced,
  ...settings
}: ChatServiceDependencies): ChatService => ({
  model,
  start: async (request, caller, options) => {
    const { signal, display = settings.display } = options;
    const prepared = await prepare(request, caller, options);
    if (!prepared.ok) return prepared;
    const ready: ChatRequest = { ...request, messages: prepared.messages };
    // Several answers at once have no one conversation that could go on.
    const isPlain = options.tools === 'off' || prepared.toolUse === 'forbidden' || severalAnswers(request);
    const events = () =>
      isPlain ? model.stream(ready, { signal }) : loop.run({ request: ready, caller, display, runFenced, signal });
    const stream = () => untilInterrupted(events(), signal);
    return {
      ok: true,
      stream,
      whole: () => (isPlain ? model.complete(ready, { signal }) : collectAnswer(stream())),
    };
  },
});

const severalAnswers = ({ n }: ChatRequest): boolean => typeof n === 'number' && n > 1;
