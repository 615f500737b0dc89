// The official library of OpenAI, pointed at this server over a real socket.
import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIError } from 'openai';
import OpenAI, { AuthenticationError, BadRequestError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptTurn } from '../../../src/chat/models/scripted/script.ts';
import { block, createChatApp, type ChatApp } from '../../support/chat-app.ts';
import { success } from '../../support/memory-runtime.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const serve = async (
  turns: readonly ScriptTurn[],
  { key = 'key-of-alice', ...options }: Parameters<typeof createChatApp>[1] & { readonly key?: string } = {},
): Promise<{ readonly client: OpenAI; readonly app: ChatApp }> => {
  const app = createChatApp(turns, { answer: ({ arguments: args }) => success({ said: args }), ...options });
  const server = createAdaptorServer({ fetch: app.app.fetch }) as Server;
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { app, client: new OpenAI({ baseURL, apiKey: key, maxRetries: 0 }) };
};

const twoTools: ScriptTurn[] = [
  { answer: [{ text: `First.\n${block({ n: '1' })}`, pieces: 30 }], usage: { prompt_tokens: 5, completion_tokens: 3 } },
  { answer: [{ text: `Then.\n${block({ n: '2' })}`, pieces: 30 }], usage: { prompt_tokens: 9, completion_tokens: 3 } },
  { answer: [{ text: 'Both are done.', pieces: 'words' }], usage: { prompt_tokens: 14, completion_tokens: 4 } },
];
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'do both' }];

describe('the library of OpenAI', () => {
  it('has a conversation of several rounds', async () => {
    const { client, app } = await serve(twoTools);
    const answer = await client.chat.completions.create({ model: 'scripted', messages });
    expect(answer.choices[0]?.message.content).toBe('First.\n\nThen.\n\nBoth are done.');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage).toEqual({ prompt_tokens: 28, completion_tokens: 10, total_tokens: 38 });
    expect(app.delivered).toHaveLength(2);
  });

  it('streams one, and puts its pieces together', async () => {
    const { client } = await serve(twoTools);
    const stream = client.chat.completions.stream({
      model: 'scripted',
      messages,
      stream_options: { include_usage: true },
    });
    let seen = '';
    stream.on('content', (delta) => (seen += delta));
    const final = await stream.finalChatCompletion();
    expect(seen).toBe('First.\n\nThen.\n\nBoth are done.');
    expect(final.choices[0]?.message.content).toBe(seen);
    expect(final.usage?.total_tokens).toBe(38);
  });

  it('runs the functions of its own application beside the tools of the server', async () => {
    const { client, app } = await serve([
      { answer: [{ text: `Looking.${block()}` }] },
      { when: { role: 'user', contains: 'TOOL_RESULT' }, answer: [{ toolCall: { name: 'now', arguments: {} } }] },
      { when: { role: 'tool' }, answer: [{ text: 'It is noon.' }] },
    ]);
    const runner = client.chat.completions.runTools({
      model: 'scripted',
      messages,
      tools: [
        {
          type: 'function',
          function: { name: 'now', parameters: {}, description: 'the time', function: () => 'noon', parse: JSON.parse },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is noon.');
    expect(app.delivered).toHaveLength(1);
  });

  it.each([
    ['a wrong key', { key: 'wrong' }, {}, AuthenticationError],
    ['a request that is none', {}, { messages: [] }, BadRequestError],
  ] as const)('raises its own error for %s', async (_what, options, more, kind) => {
    const { client } = await serve(twoTools, options);
    const error: unknown = await client.chat.completions
      .create({ model: 'scripted', messages, ...(more as object) })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect((error as InstanceType<typeof APIError>).message).toMatch(/key|messages/);
  });

  it('raises an error in the middle of a stream', async () => {
    const fault = { error: { code: 'UPSTREAM_CUT_OFF' as const, message: 'the model went away' } };
    const { client } = await serve([{ answer: [{ text: 'So ' }, fault] }]);
    const stream = await client.chat.completions.create({ model: 'scripted', messages, stream: true });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
      })(),
    ).rejects.toThrow('the model went away');
    expect(seen).toEqual(['So ']);
  });

  it('lists models', async () => {
    const { client } = await serve(twoTools);
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(['scripted']);
  });
});
