import type { ChatService } from '../../src/chat/chat-service.ts';
import { createChatService } from '../../src/chat/chat-service.ts';
import { createBlockCalls } from '../../src/chat/loop/block-calls.ts';
import { createFunctionCalls } from '../../src/chat/loop/function-calls.ts';
import { createRunTool } from '../../src/chat/loop/run-tool.ts';
import { createScriptedModel } from '../../src/chat/models/scripted.ts';
import type { ScriptTurn } from '../../src/chat/models/scripted/script.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { sleep } from '../../src/lib/sleep.ts';
import type { ChatRequest, LanguageModel } from '../../src/ports/language-model.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { createMemoryApp, type MemoryApp, type MemoryRuntimeOptions } from './memory-runtime.ts';

export type ChatApp = MemoryApp & {
  /** Every request that the model got, in order. */
  readonly asked: readonly ChatRequest[];
  /** A request of `POST /v1/chat/completions`. */
  chat(body: JsonObject, init?: { readonly as?: string; readonly signal?: AbortSignal }): Promise<Response>;
};

/** A server with a model that says what the turns tell it to, one after another. */
export const createChatApp = (
  turns: readonly ScriptTurn[] | LanguageModel,
  options: MemoryRuntimeOptions & { readonly limits?: Partial<Limits> } = {},
): ChatApp => {
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
  const app = createMemoryApp({
    ...options,
    app: {
      chat: {
        model,
        start: (...given) => (chat as ChatService).start(...given),
      },
    },
  });
  const runTool = createRunTool({
    ...app,
    knownPaths: options.knownPaths ?? [],
    media: { urlOf: () => null, readBytes: async () => null },
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
    runFenced: false,
  });
  return {
    ...app,
    asked,
    chat: (body, { as = 'alice', signal } = {}) =>
      app.send('/v1/chat/completions', {
        method: 'POST',
        as,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
};

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
