import { z } from 'zod';
import { Problem } from '../../src/protocol/problem.ts';
import { ChatCompletionRequest } from '../../src/server/chat/chat-completion-request.ts';
import { InterruptRequest } from '../../src/server/routes/interrupts.ts';
import { json, ref, type Operation } from './openapi-operation.ts';

// OpenAI's own document describes these bodies whole; here stands what this server reads, adds and promises of them.

const plain = (schema: z.ZodType): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};

const OpenAiError = z.strictObject({
  message: z.string(),
  type: z.string(),
  code: z.string(),
  param: z.string().nullable(),
});

const Stopped = z
  .strictObject({
    stopped: z.strictObject({ code: z.enum(['REPEATED_CALL', 'ROUND_LIMIT', 'SIZE_LIMIT']), message: z.string() }),
  })
  .meta({ description: 'There when this server ended the conversation before the model was done.' });

const Completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
      finish_reason: z.string(),
    }),
  ),
  usage: z.looseObject({}).optional().meta({ description: 'Tokens of all rounds together.' }),
  vcp: Stopped.optional(),
});

const ModelList = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })),
});

/** A problem in OpenAI's words as well. */
const ChatProblem = Problem.extend({ error: OpenAiError });

const withoutDocumentId = (schema: object): object => {
  const { $id: _, id: _id, ...rest } = schema as { $id?: string; id?: string };
  return rest;
};

export const CHAT_SCHEMAS: Readonly<Record<string, object>> = {
  ChatCompletionRequest: withoutDocumentId(plain(ChatCompletionRequest)),
  ChatCompletion: plain(Completion),
  ChatModelList: plain(ModelList),
  ChatProblem: withoutDocumentId(plain(ChatProblem)),
};

export const CHAT_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'chat',
    summary: 'A conversation with the model behind the server, which has its tools.',
    description:
      "OpenAI's Chat Completions: fields that are not named here go on to the model. Calls in the model's answer are run and their results fed back until it makes no more; the client gets one answer. With `stream` it is a stream of `chat.completion.chunk` objects that ends with exactly one `[DONE]`; a failure after its beginning is a chunk with `error` before that.",
    body: json(ref('ChatCompletionRequest')),
    answer: {
      description: 'The answer.',
      content: {
        ...json(ref('ChatCompletion')),
        'text/event-stream': { type: 'string', description: 'With `stream`: chunks, then `[DONE]`.' },
      },
    },
    problemSchema: 'ChatProblem',
    problems: [400, 401, 404, 409, 413, 415, 422, 502, 503, 504],
  },
  {
    method: 'post',
    path: '/v1/interrupt',
    operationId: 'interrupt',
    summary: 'Ends a running conversation where it is.',
    description:
      'Its client gets what was said until then, with `finish_reason` `stop`; calls that the model waits for are cancelled.',
    body: json(plain(InterruptRequest)),
    answer: {
      description: 'It was running.',
      content: json(plain(z.strictObject({ id: z.string(), interrupted: z.literal(true) }))),
    },
    problemSchema: 'ChatProblem',
    problems: [400, 401, 404, 413, 415],
  },
  {
    method: 'get',
    path: '/v1/models',
    operationId: 'listModels',
    summary:
      'The models of the upstream, and the other names that the operator has given some; none without an upstream.',
    answer: { description: 'Models.', content: json(ref('ChatModelList')) },
    problemSchema: 'ChatProblem',
    problems: [400, 401, 404, 502, 503, 504],
  },
];
