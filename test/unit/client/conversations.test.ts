// The client's conversations, against the real routes and a model by script.
import { describe, expect, it } from 'vitest';
import { VCPClient, VcpProblem, VcpUnreachable, type ChatStreamEvent } from '../../../src/client/index.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import type { ScriptTurn } from '../../../src/chat/models/scripted/script.ts';
import { block, createChatApp, type ChatApp } from '../../support/chat-app.ts';
import { success } from '../../support/memory-runtime.ts';

const clientOf = ({ app }: ChatApp) =>
  new VCPClient({
    endpoint: 'http://server.test/',
    apiKey: 'key-of-alice',
    model: 'scripted',
    fetch: async (input, init) => await app.request(new Request(input as string, init)),
  });

const start = (turns: readonly ScriptTurn[]) => {
  const app = createChatApp(turns, { answer: () => success({ found: 42 }) });
  return { app, client: clientOf(app) };
};

const streaming = (text: string) =>
  new VCPClient({
    endpoint: 'http://server.test',
    apiKey: 'k',
    model: 'm',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });

const eventsOf = async (events: AsyncIterable<ChatStreamEvent>): Promise<ChatStreamEvent[]> => {
  const seen: ChatStreamEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
};

const messages = [{ role: 'user', content: 'Look it up.' }];
const lookUp: readonly ScriptTurn[] = [
  { answer: [{ text: `I look.\n${block()}` }], usage: { prompt_tokens: 2, completion_tokens: 3 } },
  { answer: [{ text: 'It is 42.', pieces: 3 }], usage: { prompt_tokens: 5, completion_tokens: 4 } },
];

describe('a request of the client', () => {
  it('gets the answer after the tools have run', async () => {
    const { client, app } = start(lookUp);
    const answer = await client.sendRequest({ messages, tools: ['Sample'] });
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-req_/),
      model: 'scripted',
      content: 'I look.\n\nIt is 42.',
      reasoning: '',
      functionCalls: [],
      finishReason: 'stop',
      usage: { prompt_tokens: 7, completion_tokens: 7, total_tokens: 14 },
    });
    expect(app.delivered).toHaveLength(1);
  });

  it('may use no tool that it does not name', async () => {
    const { client, app } = start(lookUp);
    await client.sendRequest({ messages, tools: ['Other'] });
    expect(app.delivered).toEqual([]);
  });

  it('takes its own model, functions and other fields along', async () => {
    const { client, app } = start([{ answer: [{ toolCall: { name: 'now', arguments: { zone: 'UTC' } } }] }]);
    const functions = [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }];
    const answer = await client.sendRequest({ messages, model: 'other', functions, temperature: 0.5, toolUse: 'off' });
    expect(app.asked[0]).toMatchObject({ model: 'other', temperature: 0.5, tools: functions });
    expect(app.asked[0]).not.toHaveProperty('vcp');
    expect(answer).toMatchObject({
      content: '',
      finishReason: 'tool_calls',
      functionCalls: [{ id: expect.any(String), name: 'now', arguments: '{"zone":"UTC"}' }],
    });
  });

  it('sends nothing of this server’s own where nothing is asked of it', async () => {
    const bodies: unknown[] = [];
    const client = new VCPClient({
      endpoint: 'http://server.test',
      apiKey: 'k',
      model: 'm',
      fetch: async (_, init) => {
        bodies.push(await new Response(init?.body).json());
        return Response.json({ choices: [] });
      },
    });
    await client.sendRequest({ messages });
    await client.sendRequest({ messages, tools: [] });
    expect(bodies).toEqual([
      { messages, model: 'm' },
      { messages, model: 'm', vcp: { tools: [] } },
    ]);
  });

  it('needs a model from somewhere', async () => {
    const client = new VCPClient({ endpoint: 'http://server.test', apiKey: 'k', fetch: async () => Response.json({}) });
    await expect(client.sendRequest({ messages })).rejects.toThrow('name a model');
  });

  it('raises what is wrong with it', async () => {
    const { client } = start(lookUp);
    const error: unknown = await client.sendRequest({ messages: [] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VcpProblem);
    expect((error as VcpProblem).problem).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  });
});

describe('a streamed request of the client', () => {
  it('gives the text as it comes, and the whole answer at the end', async () => {
    const { client } = start(lookUp);
    const events = await eventsOf(client.streamRequest({ messages }));
    expect(events[0]).toEqual({ type: 'start', id: expect.stringMatching(/^chatcmpl-/), model: 'scripted' });
    const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toBe('I look.\n\nIt is 42.');
    expect(events.at(-1)).toMatchObject({
      type: 'answer',
      answer: { content: 'I look.\n\nIt is 42.', finishReason: 'stop', usage: { total_tokens: 14 } },
    });
  });

  it('puts calls of functions together from their pieces, and tells thoughts from text', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const call = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] });
    const client = streaming(
      chunk({ reasoning_content: 'Hm.' }) +
        chunk({ content: 'So' }) +
        call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }) +
        call(1, { id: 'b', function: { name: 'g', arguments: '' } }) +
        call(0, { function: { arguments: ':1}' } }) +
        chunk({}, 'tool_calls') +
        'data: [DONE]\n\n',
    );
    const events = await eventsOf(client.streamRequest({ messages }));
    expect(events.map(({ type }) => type)).toEqual(['start', 'reasoning', 'text', 'answer']);
    expect(events.at(-1)).toMatchObject({
      answer: {
        content: 'So',
        reasoning: 'Hm.',
        functionCalls: [
          { id: 'a', name: 'f', arguments: '{"x":1}' },
          { id: 'b', name: 'g', arguments: '' },
        ],
      },
    });
  });

  it('raises an error in its middle', async () => {
    const fault = { error: { code: 'UPSTREAM_CUT_OFF' as const, message: 'the model went away' } };
    const { client } = start([{ answer: [{ text: 'So ' }, fault] }]);
    const error: unknown = await eventsOf(client.streamRequest({ messages })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VcpProblem);
    expect((error as VcpProblem).problem).toMatchObject({
      status: 502,
      code: 'UPSTREAM_CUT_OFF',
      detail: 'the model went away',
    });
  });

  it.each(['data: {"id":"c","choices":[]}\n\n', 'data: {"id":\n\n', ''])(
    'is never complete when it breaks off (%j)',
    async (text) => {
      await expect(eventsOf(streaming(text).streamRequest({ messages }))).rejects.toThrow(VcpUnreachable);
    },
  );

  it('takes a whole answer of a server that does not stream', async () => {
    const client = new VCPClient({
      endpoint: 'http://server.test',
      apiKey: 'k',
      model: 'm',
      fetch: async () =>
        Response.json({ id: 'c', choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] }),
    });
    const events = await eventsOf(client.streamRequest({ messages }));
    expect(events).toEqual([
      { type: 'text', text: 'whole' },
      { type: 'answer', answer: expect.objectContaining({ content: 'whole' }) },
    ]);
  });

  it('is ended by an interrupt, with what was said until then', async () => {
    const { client } = start([{ answer: [{ text: 'one ' }, { text: 'two', delayMs: 20_000 }] }]);
    const seen: string[] = [];
    for await (const event of client.streamRequest({ messages })) {
      seen.push(event.type);
      if (event.type === 'start') await sleep(50, new AbortController().signal).then(() => client.interrupt(event.id));
      if (event.type === 'answer') expect(event.answer.content).toBe('one ');
    }
    expect(seen.at(-1)).toBe('answer');
    await expect(client.interrupt('chatcmpl-nothing')).rejects.toThrow(VcpProblem);
  });
});

it('lists models', async () => {
  const { client } = start(lookUp);
  expect(await client.listModels()).toEqual([{ id: 'scripted', created: 0, ownedBy: expect.any(String) }]);
});
