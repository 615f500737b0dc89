import type { ChatService } from '../../src/chat/chat-service.ts';
import { createChatService } from '../../src/chat/chat-service.ts';
import { createBlockCalls } from '../../src/chat/loop/block-calls.ts';
import { createFunctionCalls } from '../../src/chat/loop/function-calls.ts';
import { createRunTool } from '../../src/chat/loop/run-tool.ts';
import { storedMedia } from '../../src/chat/loop/stored-media.ts';
import { createScriptedModel } from '../../src/chat/models/scripted.ts';
import type { ScriptTurn } from '../../src/chat/models/scripted/script.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { OPENAI_CHAT_MEDIA } from '../../src/present/model/openai-chat.ts';
import { collectAnswer } from '../../src/chat/models/collect-answer.ts';
import type { ChatRequest, FinishReason, LanguageModel, ModelEvent } from '../../src/ports/language-model.ts';
import { noTelemetry } from '../../src/runtime/telemetry.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { AppDependencies } from '../../src/server/app-environment.ts';
import { createRunningChats, type RunningChats } from '../../src/server/chat/running-chats.ts';
import { createMemoryApp, type MemoryApp, type MemoryRuntimeOptions } from './memory-runtime.ts';

export type ChatApp = MemoryApp & {
  readonly runningChats: RunningChats;
  /** Every request that the model got, in order. */
  readonly asked: readonly ChatRequest[];
  /** A request of `POST /v1/chat/completions`. */
  chat(
    body: JsonObject,
    init?: { readonly as?: string; readonly signal?: AbortSignal; readonly headers?: Record<string, string> },
  ): Promise<Response>;
};

export type ChatAppOptions = MemoryRuntimeOptions & {
  readonly limits?: Partial<Limits>;
  /** Whether models may be given addresses of the server. */
  readonly isPublic?: boolean;
  readonly app?: Partial<AppDependencies>;
};

/** A server with a model that says what the turns tell it to, one after another. */
export const createChatApp = (turns: readonly ScriptTurn[] | LanguageModel, options: ChatAppOptions = {}): ChatApp => {
  const asked: ChatRequest[] = [];
  const scripted = 'stream' in turns ? turns : createScriptedModel({ script: { turns: [...turns] }, pause: { sleep } });
  const model: LanguageModel = {
    ...scripted,
    stream: (request, how) => {
      asked.push(request);
      return scripted.stream(request, how);
    },
    complete: (request, how) => {
      asked.push(request);
      return scripted.complete(request, how);
    },
  };
  let chat: ChatService | null = null;
  const runningChats = createRunningChats();
  const app = createMemoryApp({
    ...options,
    app: {
      ...options.app,
      runningChats,
      chat: {
        model,
        start: (...given) => (chat as ChatService).start(...given),
      },
    },
  });
  const runTool = createRunTool({
    ...app,
    knownPaths: options.knownPaths ?? [],
    media: storedMedia({
      ...app,
      addresses: options.isPublic === true ? app.addresses : null,
      clock: { now: Date.now },
    }),
  });
  chat = createChatService({
    model,
    registry: app.registry,
    blockCalls: createBlockCalls({ ...app, runTool, callLater: null, pause: { sleep } }),
    functionCalls: createFunctionCalls(runTool),
    toolUse: 'text',
    limits: app.limits,
    prepare: async ({ messages }) => ({ ok: true, messages, toolUse: 'allowed' }),
    display: 'hidden',
    media: 'auto',
    telemetry: options.telemetry ?? noTelemetry(),
    logger: app.logger,
    events: app.eventSink,
    runFenced: false,
  });
  return {
    ...app,
    asked,
    runningChats,
    chat: (body, { as = 'alice', signal, headers = {} } = {}) =>
      app.send('/v1/chat/completions', {
        method: 'POST',
        as,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
};

/** A model that answers by a function: the events of one round, from what it is asked. */
export const modelOf = (
  answer: (
    request: ChatRequest,
    round: number,
    signal: AbortSignal,
  ) => Iterable<ModelEvent> | AsyncIterable<ModelEvent>,
): LanguageModel => {
  let rounds = 0;
  const stream: LanguageModel['stream'] = async function* (request, { signal }) {
    rounds += 1;
    for await (const event of answer(request, rounds, signal)) {
      signal.throwIfAborted();
      yield event;
    }
  };
  return {
    mediaRules: OPENAI_CHAT_MEDIA,
    stream,
    complete: (request, options) => collectAnswer(stream(request, options)),
    listModels: async () => [],
  };
};

export const say = (text: string): ModelEvent => ({ type: 'text', choice: 0, text });

export const finishBy = (reason: FinishReason): ModelEvent => ({ type: 'finish', choice: 0, reason, native: null });

/** A block that calls the sample tool. */
export const block = (fields: Readonly<Record<string, string>> = {}, tool = 'Sample'): string =>
  [
    '<<<[TOOL_REQUEST]>>>',
    `tool_name:「始」${tool}「末」`,
    ...Object.entries(fields).map(([key, value]) => `${key}:「始」${value}「末」`),
    '<<<[END_TOOL_REQUEST]>>>',
  ].join('\n');

/** The `data` of each event of a stream, parsed; `[DONE]` stays text. */
export const eventsOf = async (response: Response): Promise<unknown[]> =>
  (await response.text())
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as unknown)));
