import { describe, expect, it } from 'vitest';
import overloaded from '../../fixtures/model-streams/anthropic/overloaded-in-the-middle.txt?raw';
import refusal from '../../fixtures/model-streams/anthropic/refusal.txt?raw';
import text from '../../fixtures/model-streams/anthropic/text.txt?raw';
import thinking from '../../fixtures/model-streams/anthropic/thinking.txt?raw';
import toolUse from '../../fixtures/model-streams/anthropic/tool-use.txt?raw';
import whole from '../../fixtures/model-streams/anthropic/whole.json' with { type: 'json' };
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

const streamed = (stream: string, size?: number) =>
  eventsOf(upstreamOf('anthropic', [eventStream(stream, size)]).model);
const collected = (stream: string) =>
  collectAnswer(upstreamOf('anthropic', [eventStream(stream)]).model.stream(asking(), { signal: never }));

/** The body that a request becomes, and what was said to be left out. */
const sentFor = async (fields: Readonly<Record<string, unknown>>) => {
  const { model, sent } = upstreamOf('anthropic', [answered(200, whole)]);
  const { notices } = await model.complete(asking(fields), { signal: never });
  return { body: sent[0]!.body as Record<string, unknown>, notices };
};
const refusalFor = async (fields: Readonly<Record<string, unknown>>) => {
  const { model, sent } = upstreamOf('anthropic', []);
  const { code, pointer, message } = await faultOf(model.complete(asking(fields), { signal: never }));
  expect(sent).toEqual([]);
  expect(code).toBe('UPSTREAM_UNSUPPORTED');
  return { pointer, message };
};
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

describe('a request to Anthropic', () => {
  it('goes to its Messages, with the key in its own header', async () => {
    const { model, sent } = upstreamOf('anthropic', [eventStream(text)]);
    await eventsOf(model);
    expect(sent[0]).toMatchObject({
      url: 'https://upstream.example/v1/messages',
      headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: {
        model: 'm',
        max_tokens: 8192,
        stream: true,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    });
    expect(Object.keys(sent[0]!.headers)).not.toContain('authorization');
  });

  it('maps what has another name there', async () => {
    const { body, notices } = await sentFor({
      max_completion_tokens: 50,
      max_tokens: 99,
      stop: 'END',
      temperature: 0.5,
      top_p: 0.9,
      user: 'someone',
      service_tier: 'default',
      reasoning_effort: 'minimal',
      top_k: 5,
      parallel_tool_calls: true,
      n: 1,
      seed: null,
      logprobs: false,
    });
    expect(body).toEqual({
      model: 'm',
      max_tokens: 50,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stop_sequences: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      metadata: { user_id: 'someone' },
      service_tier: 'standard_only',
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
      top_k: 5,
    });
    expect(notices).toEqual([]);
  });

  it('leaves its own settings of thinking to the client', async () => {
    const own = { type: 'enabled', budget_tokens: 2048 };
    expect((await sentFor({ thinking: own, reasoning_effort: 'high' })).body).toMatchObject({ thinking: own });
    expect((await sentFor({ reasoning_effort: 'none' })).body).toMatchObject({ thinking: { type: 'disabled' } });
  });

  it('asks for answers after a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const { body } = await sentFor({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
    expect(body['output_config']).toEqual({ format: { type: 'json_schema', schema } });
  });

  it('puts system messages in front, and says so of those that stood later', async () => {
    const { body, notices } = await sentFor({
      messages: [
        { role: 'system', content: 'One' },
        { role: 'developer', content: [{ type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } }] },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Three' },
      ],
    });
    expect(body['system']).toEqual([
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Three' },
    ]);
    expect(notices).toEqual([
      {
        pointer: '/messages/3',
        message: 'was put in front of the conversation, where this upstream has system messages',
      },
    ]);
  });

  it('gives pictures and documents', async () => {
    const { body } = await sentFor(
      user([
        { type: 'text', text: 'See' },
        { type: 'text', text: '' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
        { type: 'file', file: { file_data: 'data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==' } },
      ]),
    );
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüße' } },
        ],
      },
    ]);
  });

  it('gives tools, calls of the past, and all results of one turn together', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const { body } = await sentFor({
      tools: [
        { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters, strict: true } },
        { type: 'function', function: { name: 'get_time' } },
      ],
      tool_choice: { type: 'function', function: { name: 'get_time' } },
      parallel_tool_calls: false,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
          tool_calls: [
            {
              id: 'functions.get_weather:0',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
            },
            { id: 'call_2', type: 'function', function: { name: 'get_time', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'functions.get_weather:0', content: 'rain' },
        {
          role: 'tool',
          tool_call_id: 'call_2',
          content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
        },
        { role: 'user', content: 'Well?' },
      ],
    });
    expect(body['tools']).toEqual([
      { name: 'get_weather', description: 'Weather', input_schema: parameters, strict: true },
      { name: 'get_time', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'tool', name: 'get_time', disable_parallel_tool_use: true });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'tool_use', id: 'functions_2eget_weather_3a0', name: 'get_weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'call_2', name: 'get_time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'functions_2eget_weather_3a0', content: 'rain' },
          {
            type: 'tool_result',
            tool_use_id: 'call_2',
            content: [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
          },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
  });

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
  ])('maps the tool choice %s', async (choice, expected) => {
    const tools = [{ type: 'function', function: { name: 'get_time' } }];
    expect((await sentFor({ tools, tool_choice: choice })).body['tool_choice']).toEqual(expected);
    expect((await sentFor({ tool_choice: choice })).body).not.toHaveProperty('tool_choice');
  });

  it('lets a model go on with an answer, without the white space that may not end it', async () => {
    const { body } = await sentFor({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Once upon \n' },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] },
    ]);
  });

  it('says what it leaves out, each once', async () => {
    const { notices } = await sentFor({
      seed: 7,
      presence_penalty: 0.5,
      temperature: 1.5,
      some_new_field: 1,
      service_tier: 'flex',
      metadata: { user_id: 'a', topic: 'b' },
      messages: [
        { role: 'user', name: 'Ann', content: 'Hi' },
        {
          role: 'user',
          name: 'Bob',
          content: [{ type: 'image_url', image_url: { url: 'https://e.org/a', detail: 'high' } }],
        },
      ],
    });
    expect(notices.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/messages/0/name',
      '/messages/1/content/0/image_url/detail',
      '/metadata',
      '/presence_penalty',
      '/seed',
      '/service_tier',
      '/some_new_field',
      '/temperature',
    ]);
  });

  it('says at most sixteen things, however many fields there are', async () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, index]));
    expect((await sentFor(fields)).notices.length).toBe(16);
  });

  it.each([
    ['/n', { n: 2 }],
    ['/logprobs', { logprobs: true }],
    ['/modalities', { modalities: ['text', 'audio'] }],
    ['/functions', { functions: [] }],
    ['/response_format/type', { response_format: { type: 'json_object' } }],
    ['/response_format', { response_format: { type: 'json_schema' } }],
    ['/reasoning_effort', { reasoning_effort: 'constructor' }],
    ['/tools/0', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      '/tool_choice',
      { tools: [{ type: 'function', function: { name: 'x' } }], tool_choice: { type: 'allowed_tools' } },
    ],
    ['/stop/1', { stop: ['a', 7] }],
    ['/messages/0/role', { messages: [{ role: 'function', content: 'x' }] }],
    ['/messages/0/content/0', user([{ type: 'input_audio', input_audio: { format: 'wav', data: 'AAAA' } }])],
    ['/messages/0/content/0/type', user([{ type: 'video_url', video_url: { url: 'https://e.org/v.mp4' } }])],
    ['/messages/0/content/0/file', user([{ type: 'file', file: { file_id: 'file-123' } }])],
    [
      '/messages/0/content/0/image_url/url',
      user([{ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } }]),
    ],
    ['/messages/0/content/0/image_url/url', user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])],
    [
      '/messages/0/tool_calls/0/function/arguments',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'a', arguments: '{"b":' } }] }] },
    ],
    [
      '/messages/0/content',
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://e.org/a' } }] }] },
    ],
  ])('is refused at %s before anything is sent', async (pointer, fields) => {
    const refused = await refusalFor(fields);
    expect(refused.pointer).toBe(pointer);
    expect(refused.message.startsWith(`${pointer} `)).toBe(true);
  });
});

describe('a stream of Anthropic', () => {
  it('is told in events, with tokens counted as OpenAI does', async () => {
    expect(await streamed(text)).toEqual({
      error: null,
      events: [
        { type: 'start', id: 'msg_01XyZ', model: 'claude-sonnet-4-6' },
        { type: 'text', choice: 0, text: 'Grüße' },
        { type: 'text', choice: 0, text: ' aus 北京 🌦️!' },
        { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' },
        {
          type: 'usage',
          usage: {
            prompt_tokens: 2125,
            completion_tokens: 15,
            total_tokens: 2140,
            prompt_tokens_details: { cached_tokens: 2000 },
            cache_creation_input_tokens: 100,
            cache_read_input_tokens: 2000,
            service_tier: 'standard',
          },
        },
      ],
    });
  });

  it.each([1, 2, 3, 7, 100])('is the same in pieces of %i bytes', async (size) => {
    expect(await streamed(text, size)).toEqual(await streamed(text));
    expect(await streamed(toolUse, size)).toEqual(await streamed(toolUse));
  });

  it('has tool calls, numbered without the texts between them, and arguments for one without any', async () => {
    const { events } = await streamed(toolUse);
    expect(events.slice(1, -1)).toEqual([
      { type: 'text', choice: 0, text: 'I look.' },
      { type: 'tool_call', choice: 0, index: 0, id: 'toolu_01A', name: 'get_weather', arguments: '' },
      { type: 'tool_call', choice: 0, index: 0, arguments: '{"city": "Pa' },
      { type: 'tool_call', choice: 0, index: 0, arguments: 'ris"}' },
      { type: 'tool_call', choice: 0, index: 1, id: 'toolu_01B', name: 'get_time', arguments: '' },
      { type: 'tool_call', choice: 0, index: 1, arguments: '{}' },
      { type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_use' },
    ]);
  });

  it('shows thoughts, and keeps them signed for the next request', async () => {
    expect((await collected(thinking)).choices[0]!.message).toEqual({
      role: 'assistant',
      content: '42',
      reasoning_content: '7 times 6 is 42.',
      thinking_blocks: [
        { type: 'thinking', thinking: '7 times 6 is 42.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
        { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
      ],
    });
  });

  it('of an answer that was refused ends as filtered', async () => {
    expect((await streamed(refusal)).events.find(({ type }) => type === 'finish')).toEqual({
      type: 'finish',
      choice: 0,
      reason: 'content_filter',
      native: 'refusal',
    });
  });

  it('ends in the error that it tells of', async () => {
    const { events, error } = await streamed(overloaded);
    expect(textIn(events)).toBe('Once upon');
    expect(error).toMatchObject({
      code: 'UPSTREAM_OVERLOADED',
      status: 529,
      vendorCode: 'overloaded_error',
      isRetryable: true,
    });
  });

  it('that lacks its end is cut off, unless all but the last message is there', async () => {
    const stop = text.indexOf('event: message_stop');
    const delta = text.indexOf('event: message_delta');
    expect((await streamed(text.slice(0, stop))).error).toBeNull();
    const cut = await streamed(text.slice(0, delta));
    expect(textIn(cut.events)).toBe('Grüße aus 北京 🌦️!');
    expect(cut.error).toMatchObject({ code: 'UPSTREAM_CUT_OFF' });
  });

  it('passes on blocks of kinds that it does not know, and skips events of such kinds', async () => {
    const block = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const more = `event: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 9, content_block: block })}\n\nevent: news\ndata: {"type":"news"}\n\n`;
    const answer = await collected(text.replace('event: message_delta', `${more}event: message_delta`));
    expect(answer.choices[0]!.message['content_parts']).toEqual([block]);
  });
});

describe('a whole answer of Anthropic', () => {
  it('is put into the words of OpenAI, and can be put into the next request', async () => {
    const { model, sent } = upstreamOf('anthropic', [answered(200, whole), answered(200, whole)]);
    const answer = await model.complete(asking(), { signal: never });
    expect(answer).toEqual({
      id: 'msg_02',
      model: 'claude-sonnet-4-6',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'I look.',
            reasoning_content: 'Look it up.',
            thinking_blocks: [{ type: 'thinking', thinking: 'Look it up.', signature: 'c2ln' }],
            tool_calls: [
              { id: 'toolu_9', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            ],
          },
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 0 },
      },
      fields: {},
      notices: [],
    });
    await model.complete(
      asking({
        messages: [
          { role: 'user', content: 'Hi' },
          answer.choices[0]!.message,
          { role: 'tool', tool_call_id: 'toolu_9', content: 'rain' },
        ],
      }),
      { signal: never },
    );
    expect((sent[1]!.body as { messages: unknown[] }).messages[1]).toEqual({
      role: 'assistant',
      content: whole.content,
    });
  });
});

describe('the models of Anthropic', () => {
  it('are listed', async () => {
    const { model } = upstreamOf('anthropic', [
      answered(200, {
        data: [{ type: 'model', id: 'claude-x', display_name: 'X', created_at: '2026-02-19T00:00:00Z' }],
        has_more: false,
      }),
    ]);
    expect(await model.listModels({ signal: never })).toEqual([
      { id: 'claude-x', created: 1771459200, ownedBy: 'anthropic' },
    ]);
  });
});
