import type { JsonObject } from '../protocol/json.ts';
import type { Problem } from '../protocol/problem.ts';
import { createAnswerBuilder, type ChatAnswer, type ChatStreamEvent, type WireAnswer } from './chat-answer.ts';
import { VcpProblem, VcpUnreachable } from './client-errors.ts';
import { isEventStream, type Cancellable, type HttpConnection } from './http-connection.ts';
import { eventData, readEventStream } from './read-event-stream.ts';

/** A message in OpenAI's form: `content` is a text or a list of parts. */
export type ClientMessage = { readonly role: string; readonly content?: unknown; readonly [field: string]: unknown };

/** What a conversation asks for. Fields that are not named here go to the model as they are: `temperature`, `max_tokens` … */
export type SendRequest = Cancellable & {
  readonly messages: readonly ClientMessage[];
  /** Names of the server's tools that the model may use; without it, all that the key may use. */
  readonly tools?: readonly string[];
  /** Instead of the client's own. */
  readonly model?: string;
  /** How the model calls tools; the server's setting by default. */
  readonly toolUse?: 'text' | 'native' | 'off';
  /** What is seen of calls in the answer; the server's setting by default. */
  readonly display?: 'hidden' | 'summary' | 'shown';
  /** Functions of the caller's own, as OpenAI's `tools` are written: the answer names those that the model wants called. */
  readonly functions?: readonly JsonObject[];
  /** `req_` and a ULID: a name of the caller's for the request, which `interrupt` takes while it runs. */
  readonly requestId?: string;
  readonly [field: string]: unknown;
};

export type OfferedModel = { readonly id: string; readonly created: number; readonly ownedBy: string };

/** Conversations with the model behind the server. */
export type Conversations = {
  /** The model's answer, after the server has run what tools it called. */
  sendRequest(request: SendRequest): Promise<ChatAnswer>;
  /** The same as it comes. Leaving the loop ends the conversation on the server. */
  streamRequest(request: SendRequest): AsyncGenerator<ChatStreamEvent, void, undefined>;
  /** Ends a running conversation of one's own, by the id of its answer or its request; its client gets what was said. */
  interrupt(id: string, options?: Cancellable): Promise<void>;
  listModels(options?: Cancellable): Promise<readonly OfferedModel[]>;
};

export const createConversations = (connection: HttpConnection, ownModel: string | undefined): Conversations => {
  const start = async (request: SendRequest, isStream: boolean): Promise<Response> => {
    const { signal, tools, toolUse, display, functions, requestId, model = ownModel, ...fields } = request;
    if (model === undefined) throw new TypeError('name a model: in the request, or once for the client');
    const body = {
      ...fields,
      model,
      ...(functions === undefined ? {} : { tools: functions }),
      ...(isStream ? { stream: true, stream_options: fields['stream_options'] ?? { include_usage: true } } : {}),
      // Not sent in vain: requests for image models may pass to an upstream that does not know it.
      ...([tools, toolUse, display].every((setting) => setting === undefined)
        ? {}
        : { vcp: { tools, toolUse, display } }),
    };
    return await connection.send('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        ...(isStream ? { accept: 'text/event-stream, application/json;q=0.5' } : {}),
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
  };

  return {
    sendRequest: async (request) => {
      const answer = createAnswerBuilder();
      answer.add((await connection.jsonOf(await start(request, false), request.signal)) as WireAnswer);
      return answer.answer();
    },
    streamRequest: async function* (request) {
      const answer = createAnswerBuilder();
      const response = await start(request, true);
      // A server that streams nothing answers with JSON, and so does every refusal.
      if (!isEventStream(response)) {
        yield* eventsOf(answer.add((await connection.jsonOf(response, request.signal)) as WireAnswer));
        yield { type: 'answer', answer: answer.answer() };
        return;
      }
      let hasStarted = false;
      for await (const message of readEventStream(response.body, request.signal)) {
        if (message.data === '[DONE]') {
          yield { type: 'answer', answer: answer.answer() };
          return;
        }
        const wire = eventData(message) as WireAnswer | undefined;
        if (wire === undefined) break;
        if (wire.error !== undefined) throw new VcpProblem(problemOf(wire.error));
        if (!hasStarted && wire.id !== undefined) {
          hasStarted = true;
          yield { type: 'start', id: wire.id, model: wire.model ?? '' };
        }
        yield* eventsOf(answer.add(wire));
      }
      throw new VcpUnreachable(`the connection to ${connection.base} broke off before the answer was complete`);
    },
    interrupt: async (id, options) => void (await connection.post('/v1/interrupt', { id }, options)),
    listModels: async (options) => {
      const { data } = (await connection.get('/v1/models', options)) as {
        readonly data: readonly { readonly id: string; readonly created: number; readonly owned_by: string }[];
      };
      return data.map(({ id, created, owned_by: ownedBy }) => ({ id, created, ownedBy }));
    },
  };
};

function* eventsOf({ text, reasoning }: { readonly text: string; readonly reasoning: string }) {
  if (reasoning !== '') yield { type: 'reasoning', text: reasoning } as const;
  if (text !== '') yield { type: 'text', text } as const;
}

/** An error within a stream comes in OpenAI's words, without a status. */
const problemOf = ({ message, code, type }: JsonObject): Problem => {
  const name = typeof code === 'string' ? code : 'INTERNAL_ERROR';
  return {
    type: `urn:vcp:problem:${name.toLowerCase().replaceAll('_', '-')}`,
    title: 'Error',
    status: type === 'server_error' ? 502 : type === 'rate_limit_error' ? 429 : 400,
    detail: typeof message === 'string' ? message : 'the conversation failed',
    code: name,
  };
};
