import { describe, expect, it } from 'vitest';
import commented from '../../fixtures/model-streams/openai/comments.txt?raw';
import broken from '../../fixtures/model-streams/openai/error-in-the-middle.txt?raw';
import reasoning from '../../fixtures/model-streams/openai/reasoning.txt?raw';
import refusal from '../../fixtures/model-streams/openai/refusal.txt?raw';
import text from '../../fixtures/model-streams/openai/text.txt?raw';
import toolCalls from '../../fixtures/model-streams/openai/tool-calls.txt?raw';
import twoChoices from '../../fixtures/model-streams/openai/two-choices.txt?raw';
import whole from '../../fixtures/model-streams/openai/whole.json' with { type: 'json' };
import { collectAnswer } from '../../../src/chat/models/collect-answer.ts';
import {
  answered,
  asking,
  eventStream,
  eventsOf,
  faultOf,
  KEY,
  never,
  textIn,
  upstreamOf,
} from '../../support/upstream.ts';

const streamed = (stream: string, size?: number) => eventsOf(upstreamOf('openai', [eventStream(stream, size)]).model);
const collected = (stream: string) => {
  const { model } = upstreamOf('openai', [eventStream(stream)]);
  return collectAnswer(model.stream(asking(), { signal: never }));
};

describe('a request to OpenAI', () => {
  it('goes through as it is, with the key in its header and no redirect followed', async () => {
    const { model, sent } = upstreamOf('openai', [eventStream(text)]);
    await eventsOf(model, asking({ temperature: 0.1, some_new_field: { a: [1] }, n: 2 }));
    expect(sent).toMatchObject([
      {
        url: 'https://upstream.example/v1/chat/completions',
        method: 'POST',
        redirect: 'manual',
        headers: { authorization: `Bearer ${KEY}`, accept: 'text/event-stream', 'content-type': 'application/json' },
      },
    ]);
    expect(sent[0]!.body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      temperature: 0.1,
      some_new_field: { a: [1] },
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('keeps what it says of its stream itself', async () => {
    const { model, sent } = upstreamOf('openai', [eventStream(text)]);
    await eventsOf(model, asking({ stream_options: { include_usage: false, include_obfuscation: false } }));
    expect(sent[0]!.body).toMatchObject({ stream_options: { include_usage: false, include_obfuscation: false } });
  });

  it('says nothing of streams when it wants a whole answer', async () => {
    const { model, sent } = upstreamOf('openai', [answered(200, whole)]);
    await model.complete(asking({ stream: true, stream_options: { include_usage: true } }), { signal: never });
    expect(sent[0]!.body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    expect(sent[0]!.headers['accept']).toBe('application/json');
  });

  it.each([
    ['https://api.example', 'https://api.example/v1/chat/completions'],
    ['https://api.example/', 'https://api.example/v1/chat/completions'],
    ['https://api.example/api/v3/', 'https://api.example/api/v3/chat/completions'],
    ['https://api.example/v1/chat/completions', 'https://api.example/v1/chat/completions'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1/chat/completions'],
  ])('to %s goes to %s', async (url, address) => {
    const { model, sent } = upstreamOf('openai', [answered(200, whole)], { url });
    await model.complete(asking(), { signal: never });
    expect(sent[0]!.url).toBe(address);
  });
});

describe('a stream of OpenAI', () => {
  it('is told in events, with what they have no form for passed on', async () => {
    const { events, error } = await streamed(text);
    expect(error).toBeNull();
    const chunk = { type: 'extra', choice: 0, chunkFields: { service_tier: 'default', system_fingerprint: 'fp_3f1a' } };
    expect(events).toEqual([
      { type: 'start', id: 'chatcmpl-7Qy', model: 'gpt-4.1-mini-2026-04-14' },
      chunk,
      { type: 'text', choice: 0, text: 'Grüße' },
      chunk,
      { type: 'text', choice: 0, text: ' aus 北京' },
      chunk,
      { type: 'text', choice: 0, text: ' 🌦️!' },
      chunk,
      { type: 'finish', choice: 0, reason: 'stop', native: null },
      chunk,
      chunk,
      {
        type: 'usage',
        usage: {
          prompt_tokens: 19,
          completion_tokens: 7,
          total_tokens: 26,
          prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    ]);
  });

  it.each([1, 2, 3, 5, 7, 64])('is the same in pieces of %i bytes', async (size) => {
    expect(await streamed(text, size)).toEqual(await streamed(text));
    expect(await streamed(commented, size)).toEqual(await streamed(commented));
  });

  it('has tool calls whose arguments come in pieces', async () => {
    const { events } = await streamed(toolCalls);
    expect(events.filter(({ type }) => type === 'tool_call' || type === 'finish')).toEqual([
      { type: 'tool_call', choice: 0, index: 0, id: 'call_a1', name: 'get_weather', arguments: '' },
      { type: 'tool_call', choice: 0, index: 0, arguments: '{"city":' },
      { type: 'tool_call', choice: 0, index: 0, arguments: '"Paris"}' },
      { type: 'tool_call', choice: 0, index: 1, id: 'call_b2', name: 'get_time', arguments: '' },
      { type: 'tool_call', choice: 0, index: 1, arguments: '{}' },
      { type: 'finish', choice: 0, reason: 'tool_calls', native: null },
    ]);
    expect((await collected(toolCalls)).choices).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_a1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            { id: 'call_b2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
          ],
        },
      },
    ]);
  });

  it('tells calls apart that bear no index, or all the same', async () => {
    const call = (fields: object) => ({ choices: [{ index: 0, delta: { tool_calls: [fields] } }] });
    const stream = (chunks: object[]) =>
      `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
    const named = (id: string, name: string, given: string) => ({ id, function: { name, arguments: given } });
    const expected = [
      { id: 'x', type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
      { id: 'y', type: 'function', function: { name: 'two', arguments: '{}' } },
    ];
    const unnumbered = [
      call(named('x', 'one', '{"a"')),
      call({ function: { arguments: ':1}' } }),
      call(named('y', 'two', '{}')),
    ];
    expect((await collected(stream(unnumbered))).choices[0]!.message.tool_calls).toEqual(expected);
    const numberedZero = [
      call({ index: 0, ...named('x', 'one', '{"a"') }),
      call({ index: 0, function: { arguments: ':1}' } }),
      call({ index: 0, ...named('y', 'two', '{}') }),
    ];
    expect((await collected(stream(numberedZero))).choices[0]!.message.tool_calls).toEqual(expected);
  });

  it('keeps fields of a call that have to come back with it', async () => {
    const delta = {
      tool_calls: [
        {
          index: 0,
          id: 'x',
          type: 'function',
          function: { name: 'one', arguments: '{}' },
          extra_content: { google: { thought_signature: 'c2ln' } },
        },
      ],
    };
    const answer = await collected(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
    expect(answer.choices[0]!.message.tool_calls).toEqual([
      {
        id: 'x',
        type: 'function',
        function: { name: 'one', arguments: '{}' },
        extra_content: { google: { thought_signature: 'c2ln' } },
      },
    ]);
  });

  it('has thoughts, under either of their names', async () => {
    const { events } = await streamed(reasoning);
    expect(events.filter(({ type }) => type !== 'start')).toEqual([
      { type: 'reasoning', choice: 0, text: '7 times 6' },
      { type: 'reasoning', choice: 0, text: ' is 42.' },
      { type: 'text', choice: 0, text: '42' },
      { type: 'finish', choice: 0, reason: 'stop', native: null },
    ]);
    const other = await streamed(reasoning.replaceAll('reasoning_content', 'reasoning'));
    expect(other.events).toEqual(events);
  });

  it('has thoughts among the parts of a content that is a list', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
    ];
    const { events } = await streamed(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
    expect(events.slice(1)).toEqual([
      { type: 'reasoning', choice: 0, text: 'hm' },
      { type: 'text', choice: 0, text: 'yes' },
      { type: 'finish', choice: 0, reason: 'stop', native: null },
    ]);
  });

  it('passes a refusal on, piece by piece and as a whole', async () => {
    const { events } = await streamed(refusal);
    expect(events.filter((event) => event.type === 'extra' && event.deltaFields !== undefined)).toEqual([
      { type: 'extra', choice: 0, deltaFields: { refusal: '' } },
      { type: 'extra', choice: 0, deltaFields: { refusal: "I can't help" } },
      { type: 'extra', choice: 0, deltaFields: { refusal: ' with that.' } },
    ]);
    expect((await collected(refusal)).choices[0]!.message).toEqual({
      role: 'assistant',
      content: null,
      refusal: "I can't help with that.",
    });
  });

  it('that counts with every chunk has its last count once, at the end', async () => {
    const chunk = (delta: object, finish: string | null, used: number) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], usage: { prompt_tokens: 5, completion_tokens: used } })}\n\n`;
    const { events } = await streamed(`${chunk({ content: 'a' }, null, 1)}${chunk({}, 'stop', 2)}data: [DONE]\n\n`);
    expect(events.slice(2)).toEqual([
      { type: 'finish', choice: 0, reason: 'stop', native: null },
      { type: 'usage', usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
    ]);
  });

  it('has several answers side by side', async () => {
    const answer = await collected(twoChoices);
    expect(answer.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'red' }, finish_reason: 'stop' },
      { index: 1, message: { role: 'assistant', content: 'blue' }, finish_reason: 'length' },
    ]);
  });

  it('may have comments, CRLF and data over several lines', async () => {
    expect(textIn((await streamed(commented)).events)).toBe('one');
    const lines =
      'data: {"choices":[{"index":0,\ndata: "delta":{"content":"one"},\ndata: "finish_reason":"stop"}]}\n\n';
    expect(textIn((await streamed(`\uFEFF${lines}data: [DONE]\n\n`)).events)).toBe('one');
  });

  it('is complete without [DONE] when its answer is finished, and without a reason when it is said to be done', async () => {
    expect((await streamed(text.replace('data: [DONE]\n\n', ''))).error).toBeNull();
    const unfinished = 'data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\ndata: [DONE]\n\n';
    expect(await streamed(unfinished)).toMatchObject({
      error: null,
      events: [{ type: 'start' }, { type: 'text' }, { type: 'finish', reason: 'stop' }],
    });
    expect((await streamed(unfinished.replace('\n\ndata: [DONE]\n\n', '\n\ndata: [DONE]'))).error).toBeNull();
  });

  it.each([
    ['before the end', text.slice(0, text.indexOf('aus'))],
    ['between two events', text.slice(0, text.indexOf('data: ', 500))],
    ['with nothing in it', ''],
    ['with nothing but [DONE]', 'data: [DONE]\n\n'],
    ['of no events', ': hello\n\n'],
  ])('that ends %s is cut off', async (_, stream) => {
    expect(
      (await eventsOf(upstreamOf('openai', [eventStream(stream)], { limits: { upstreamAttempts: 1 } }).model)).error,
    ).toMatchObject({
      code: 'UPSTREAM_CUT_OFF',
      isRetryable: true,
      message: "the upstream's stream ended before the answer was complete",
    });
  });

  it('ends in the error that it tells of, after what it has said', async () => {
    const { events, error } = await streamed(broken);
    expect(textIn(events)).toBe('Once upon');
    expect(error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      status: 500,
      vendorCode: 'server_error',
      isRetryable: true,
      message: 'the upstream failed (server_error): The server had an error while processing your request.',
    });
  });

  it('maps the reasons that other servers give, and keeps their words', async () => {
    const ends = async (word: string) =>
      (
        await streamed(`data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"${word}"}]}\n\n`)
      ).events.at(-1);
    expect(await ends('eos')).toEqual({ type: 'finish', choice: 0, reason: 'stop', native: 'eos' });
    expect(await ends('tool_use')).toEqual({ type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_use' });
    expect(await ends('constructor')).toEqual({ type: 'finish', choice: 0, reason: 'stop', native: 'constructor' });
  });
});

describe('a whole answer of OpenAI', () => {
  it('is the same as it was, field for field', async () => {
    const { model } = upstreamOf('openai', [answered(200, whole)]);
    expect(await model.complete(asking(), { signal: never })).toEqual({
      id: 'chatcmpl-7Qy',
      model: 'gpt-4.1-mini-2026-04-14',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'It rains.',
            annotations: [
              {
                type: 'url_citation',
                url_citation: { url: 'https://example.org/', title: 'Rain', start_index: 0, end_index: 9 },
              },
            ],
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
      fields: { service_tier: 'default', system_fingerprint: 'fp_3f1a' },
      notices: [],
    });
  });

  it('in place of a stream is told as one', async () => {
    const { model } = upstreamOf('openai', [answered(200, whole, { 'content-type': 'application/json' })]);
    const { events, error } = await eventsOf(model);
    expect(error).toBeNull();
    expect(textIn(events)).toBe('It rains.');
    expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { total_tokens: 14 } });
  });

  it.each([
    ['without choices', { id: 'x', object: 'chat.completion' }],
    ['of another kind', { hello: 'world' }],
    ['that is a list', []],
  ])('%s is none', async (_, body) => {
    const { model } = upstreamOf('openai', [answered(200, body)]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({
      code: 'UPSTREAM_INVALID_ANSWER',
      isRetryable: false,
    });
  });
});

describe('the models of OpenAI', () => {
  it('are listed', async () => {
    const { model, sent } = upstreamOf('openai', [
      answered(200, {
        object: 'list',
        data: [{ id: 'gpt-x', object: 'model', created: 1790000000, owned_by: 'openai' }, { id: 'own' }],
      }),
    ]);
    expect(await model.listModels({ signal: never })).toEqual([
      { id: 'gpt-x', created: 1790000000, ownedBy: 'openai' },
      { id: 'own', created: null, ownedBy: 'unknown' },
    ]);
    expect(sent).toMatchObject([{ url: 'https://upstream.example/v1/models', method: 'GET', body: null }]);
  });
});
