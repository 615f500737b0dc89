import { describe, expect, it } from 'vitest';
import blocked from '../../fixtures/model-streams/gemini/blocked-prompt.txt?raw';
import broken from '../../fixtures/model-streams/gemini/error-in-the-middle.txt?raw';
import functionCall from '../../fixtures/model-streams/gemini/function-call.txt?raw';
import malformed from '../../fixtures/model-streams/gemini/malformed-call.txt?raw';
import quota from '../../fixtures/model-streams/gemini/quota.json' with { type: 'json' };
import safety from '../../fixtures/model-streams/gemini/safety.txt?raw';
import text from '../../fixtures/model-streams/gemini/text.txt?raw';
import whole from '../../fixtures/model-streams/gemini/whole.json' with { type: 'json' };
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

const once = { limits: { upstreamAttempts: 1 } };
const streamed = (stream: string, size?: number) =>
  eventsOf(upstreamOf('gemini', [eventStream(stream, size)], once).model);

const sentFor = async (fields: Readonly<Record<string, unknown>>) => {
  const { model, sent } = upstreamOf('gemini', [answered(200, whole)]);
  const { notices } = await model.complete(asking(fields), { signal: never });
  return { url: sent[0]!.url, body: sent[0]!.body as Record<string, unknown>, notices };
};
const refusalFor = async (fields: Readonly<Record<string, unknown>>) => {
  const { model, sent } = upstreamOf('gemini', []);
  const { code, pointer } = await faultOf(model.complete(asking(fields), { signal: never }));
  expect(sent).toEqual([]);
  expect(code).toBe('UPSTREAM_UNSUPPORTED');
  return pointer;
};
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

describe('a request to Gemini', () => {
  it('goes to the method of its model, with the key in a header and not in the address', async () => {
    const { model, sent } = upstreamOf('gemini', [eventStream(text), answered(200, whole)]);
    await eventsOf(model, asking({ model: 'gemini-2.5-flash' }));
    await model.complete(asking({ model: 'models/gemini-2.5-flash' }), { signal: never });
    expect(sent).toMatchObject([
      {
        url: 'https://upstream.example/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: { 'x-goog-api-key': KEY },
        body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
      },
      { url: 'https://upstream.example/v1beta/models/gemini-2.5-flash:generateContent' },
    ]);
  });

  it('maps what has another name there', async () => {
    const schema = { type: 'object' };
    const { body, notices } = await sentFor({
      max_tokens: 50,
      stop: ['a', 'b'],
      temperature: 1.5,
      top_p: 0.9,
      n: 2,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { responseModalities: ['TEXT'] },
    });
    expect(body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: {
        maxOutputTokens: 50,
        stopSequences: ['a', 'b'],
        temperature: 1.5,
        topP: 0.9,
        candidateCount: 2,
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
        responseModalities: ['TEXT'],
      },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    });
    expect(notices).toEqual([]);
  });

  it('asks for JSON without a schema, and for no thoughts', async () => {
    const { body } = await sentFor({ response_format: { type: 'json_object' }, reasoning_effort: 'none' });
    expect(body['generationConfig']).toEqual({
      responseMimeType: 'application/json',
      thinkingConfig: { thinkingBudget: 0 },
    });
  });

  it('gives media as bytes, and pictures by an address too', async () => {
    const { body } = await sentFor(
      user([
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.JPG?x=1' } },
        { type: 'input_audio', input_audio: { format: 'mp3', data: 'BBBB' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
      ]),
    );
    expect(body['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'See' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.org/a.JPG?x=1' } },
          { inlineData: { mimeType: 'audio/mp3', data: 'BBBB' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERg==' } },
        ],
      },
    ]);
  });

  it('gives tools, calls of the past with their signatures, and results by the name of the function', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const { body, notices } = await sentFor({
      tools: [
        { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters, strict: true } },
      ],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: 'I look.',
          extra_content: { google: { thought_signature: 'b2xk' } },
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
              extra_content: { google: { thought_signature: 'c2ln' } },
            },
          ],
        },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'text', text: 'rain' },
            { type: 'text', text: 'wind' },
          ],
        },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'I look.', thoughtSignature: 'b2xk' },
            { functionCall: { id: 'c1', name: 'get_weather', args: { city: 'Paris' } }, thoughtSignature: 'c2ln' },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'get_weather', response: { output: 'rain\nwind' } } }],
        },
      ],
      tools: [
        {
          functionDeclarations: [{ name: 'get_weather', description: 'Weather', parametersJsonSchema: parameters }],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] } },
    });
    expect(notices.map(({ pointer }) => pointer)).toEqual(['/parallel_tool_calls', '/tools/0/function/strict']);
  });

  it.each([
    ['/model', { model: '../../admin' }],
    ['/model', { model: 'gemini:streamGenerateContent?x=' }],
    ['/model', { model: 'files/models/x' }],
    ['/logprobs', { logprobs: true }],
    ['/messages/0/tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'nobody', content: 'x' }] }],
    [
      '/messages/0/content/0/image_url/url',
      user([{ type: 'image_url', image_url: { url: 'https://example.org/picture' } }]),
    ],
    ['/messages/0/content/0/file', user([{ type: 'file', file: { file_id: 'file-1' } }])],
    [
      '/messages/1/content/0',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'a', arguments: '{}' } }] },
          {
            role: 'tool',
            tool_call_id: 'x',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
          },
        ],
      },
    ],
  ])('is refused at %s before anything is sent', async (pointer, fields) => {
    expect(await refusalFor(fields)).toBe(pointer);
  });
});

describe('a stream of Gemini', () => {
  it('is told in events', async () => {
    expect(await streamed(text)).toEqual({
      error: null,
      events: [
        { type: 'start', id: 'r3sP0nse', model: 'gemini-2.5-flash' },
        { type: 'text', choice: 0, text: 'Grüße' },
        { type: 'text', choice: 0, text: ' aus 北京 🌦️!' },
        { type: 'finish', choice: 0, reason: 'stop', native: null },
        {
          type: 'usage',
          usage: {
            prompt_tokens: 12,
            completion_tokens: 9,
            total_tokens: 21,
            prompt_tokens_details: { cached_tokens: 4 },
            completion_tokens_details: { reasoning_tokens: 0 },
          },
        },
      ],
    });
  });

  it.each([1, 2, 3, 7, 100])('is the same in pieces of %i bytes', async (size) => {
    expect(await streamed(text, size)).toEqual(await streamed(text));
    expect(await streamed(functionCall, size)).toEqual(await streamed(functionCall));
  });

  it('has thoughts, and calls with ids and signatures', async () => {
    const { events } = await streamed(functionCall);
    expect(events.slice(1)).toEqual([
      { type: 'reasoning', choice: 0, text: '**Thinking it over**' },
      {
        type: 'tool_call',
        choice: 0,
        index: 0,
        id: 'call_r3sP0nse_0_0',
        name: 'get_weather',
        arguments: '{"city":"Paris"}',
        extra: { extra_content: { google: { thought_signature: 'CsIBAdHtim9xQ==' } } },
      },
      { type: 'tool_call', choice: 0, index: 1, id: 'own-id', name: 'get_time', arguments: '{}' },
      { type: 'finish', choice: 0, reason: 'tool_calls', native: null },
      {
        type: 'usage',
        usage: {
          prompt_tokens: 50,
          completion_tokens: 52,
          total_tokens: 102,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 32 },
        },
      },
    ]);
  });

  it('of a prompt that is blocked has no text, and ends as filtered', async () => {
    const { events, error } = await streamed(blocked);
    expect(error).toBeNull();
    expect(events.slice(1)).toMatchObject([
      { type: 'finish', choice: 0, reason: 'content_filter', native: 'PROHIBITED_CONTENT' },
      { type: 'usage', usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 } },
    ]);
  });

  it('that a filter stops ends as filtered, after what was said', async () => {
    const { events } = await streamed(safety);
    expect(textIn(events)).toBe('Take two');
    expect(events).toContainEqual({ type: 'finish', choice: 0, reason: 'content_filter', native: 'SAFETY' });
    expect(events).toContainEqual({
      type: 'extra',
      choice: 0,
      choiceFields: {
        safetyRatings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }],
      },
    });
  });

  it('ends in the error that it tells of', async () => {
    const { events, error } = await streamed(broken);
    expect(textIn(events)).toBe('Once upon');
    expect(error).toMatchObject({
      code: 'UPSTREAM_OVERLOADED',
      status: 503,
      vendorCode: 'UNAVAILABLE',
      isRetryable: true,
    });
  });

  it('whose call the model spoiled is a failure that another attempt may mend', async () => {
    expect((await streamed(malformed)).error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      vendorCode: 'MALFORMED_FUNCTION_CALL',
      isRetryable: true,
    });
    const { model } = upstreamOf('gemini', [eventStream(malformed), eventStream(text)]);
    expect(textIn((await eventsOf(model)).events)).toBe('Grüße aus 北京 🌦️!');
  });

  it('that ends without a reason is cut off', async () => {
    const cut = await streamed(text.slice(0, text.indexOf('data: ', 10)));
    expect(textIn(cut.events)).toBe('Grüße');
    expect(cut.error).toMatchObject({ code: 'UPSTREAM_CUT_OFF' });
  });
});

describe('a whole answer of Gemini', () => {
  it('has its pictures beside its text', async () => {
    const { model } = upstreamOf('gemini', [answered(200, whole)]);
    expect((await model.complete(asking(), { signal: never })).choices).toEqual([
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: 'It rains.',
          images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
        },
      },
    ]);
  });

  it('can be put into the next request, signatures included', async () => {
    const { model, sent } = upstreamOf('gemini', [eventStream(functionCall), answered(200, whole)]);
    const { choices } = await collectAnswer(model.stream(asking(), { signal: never }));
    await model.complete(
      asking({
        messages: [
          { role: 'user', content: 'Hi' },
          choices[0]!.message,
          { role: 'tool', tool_call_id: 'call_r3sP0nse_0_0', content: 'rain' },
          { role: 'tool', tool_call_id: 'own-id', content: 'noon' },
        ],
      }),
      { signal: never },
    );
    expect((sent[1]!.body as { contents: unknown[] }).contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'call_r3sP0nse_0_0', name: 'get_weather', args: { city: 'Paris' } },
            thoughtSignature: 'CsIBAdHtim9xQ==',
          },
          { functionCall: { id: 'own-id', name: 'get_time', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call_r3sP0nse_0_0', name: 'get_weather', response: { output: 'rain' } } },
          { functionResponse: { id: 'own-id', name: 'get_time', response: { output: 'noon' } } },
        ],
      },
    ]);
  });
});

describe('an error of Gemini', () => {
  it('says when to come back, and a wait that is too long is not waited', async () => {
    const { model, sent, waits } = upstreamOf('gemini', [answered(429, quota)]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({
      code: 'UPSTREAM_RATE_LIMITED',
      status: 429,
      vendorCode: 'RESOURCE_EXHAUSTED',
      retryAfterMs: 34_075,
      isRetryable: true,
      message: 'the upstream answered 429 (RESOURCE_EXHAUSTED): You exceeded your current quota.',
    });
    expect([sent.length, waits]).toEqual([1, []]);
  });

  it('may come as a list of one', async () => {
    const { model } = upstreamOf('gemini', [
      answered(400, [{ error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }]),
    ]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({
      code: 'UPSTREAM_REFUSED',
      message: 'the upstream answered 400 (INVALID_ARGUMENT): No.',
    });
  });
});

describe('the models of Gemini', () => {
  it('are listed without the folder in their names', async () => {
    const { model } = upstreamOf('gemini', [
      answered(200, { models: [{ name: 'models/gemini-2.5-flash', version: '001' }] }),
    ]);
    expect(await model.listModels({ signal: never })).toEqual([
      { id: 'gemini-2.5-flash', created: null, ownedBy: 'google' },
    ]);
  });
});
