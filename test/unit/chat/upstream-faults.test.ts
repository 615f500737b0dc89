import { describe, expect, it } from 'vitest';
import type { LanguageModel } from '../../../src/ports/language-model.ts';
import {
  answered,
  asking,
  bodyOf,
  eventStream,
  eventsOf,
  faultOf,
  KEY,
  never,
  textIn,
  upstreamOf,
} from '../../support/upstream.ts';

const once = { limits: { upstreamAttempts: 1 } };
const complete = (model: LanguageModel) => model.complete(asking(), { signal: never });
const answerFault = (response: Response) => faultOf(complete(upstreamOf('openai', [response], once).model));
const streamFault = async (response: Response, limits = {}) =>
  (await eventsOf(upstreamOf('openai', [response], { limits: { upstreamAttempts: 1, ...limits } }).model)).error;

const GOOD = 'data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe('an answer that is an error', () => {
  const body = (type: string) => ({ error: { message: 'Why.', type, param: null, code: null } });
  it.each([
    [400, 'invalid_request_error', 'UPSTREAM_REFUSED', false],
    [401, 'invalid_api_key', 'UPSTREAM_UNAUTHORIZED', false],
    [402, 'payment_required', 'UPSTREAM_RATE_LIMITED', false],
    [403, 'permission_error', 'UPSTREAM_UNAUTHORIZED', false],
    [404, 'not_found_error', 'UPSTREAM_NOT_FOUND', false],
    [408, 'timeout', 'UPSTREAM_FAILED', true],
    [413, 'request_too_large', 'UPSTREAM_REFUSED', false],
    [422, 'x', 'UPSTREAM_REFUSED', false],
    [429, 'rate_limit_exceeded', 'UPSTREAM_RATE_LIMITED', true],
    [429, 'insufficient_quota', 'UPSTREAM_RATE_LIMITED', false],
    [500, 'server_error', 'UPSTREAM_FAILED', true],
    [501, 'x', 'UPSTREAM_FAILED', false],
    [502, 'x', 'UPSTREAM_FAILED', true],
    [503, 'x', 'UPSTREAM_OVERLOADED', true],
    [529, 'overloaded_error', 'UPSTREAM_OVERLOADED', true],
  ])('%i %s is %s, to be tried again: %s', async (status, type, code, isRetryable) => {
    expect(await answerFault(answered(status, body(type)))).toMatchObject({
      code,
      status,
      isRetryable,
      vendorCode: type,
      message: `the upstream answered ${status} (${type}): Why.`,
    });
  });

  it.each([
    ['{"error":"model not loaded"}', 'the upstream answered 500: model not loaded'],
    ['{"object":"error","message":"bad","code":500}', 'the upstream answered 500: bad'],
    ['upstream connect error', 'the upstream answered 500: upstream connect error'],
    ['<!DOCTYPE html><h1>502</h1>', 'the upstream answered 500: a web page, not an answer of an API'],
    ['', 'the upstream answered 500'],
  ])('in the form %s is told', async (text, message) => {
    expect((await answerFault(answered(500, text))).message).toBe(message);
  });

  it('never shows the key, nor what is private, and is short', async () => {
    const text = `Incorrect API key provided: ${KEY}. See http://10.0.0.7:8080/x ${'long '.repeat(2_000)}`;
    const { message } = await answerFault(answered(401, { error: { message: text, type: KEY } }));
    expect(message).not.toContain(KEY);
    expect(message).not.toContain('10.0.0.7');
    expect(message).toContain('Incorrect API key provided: [redacted: secret]');
    expect(message.length).toBeLessThan(2_100);
  });

  it('never shows a key of any form, wherever it is quoted', async () => {
    const key = 'PlainWordsOfSomeVendor';
    const told = { error: { message: `Key ${key} is not known`, type: `for-${key}` } };
    for (const response of [answered(401, told), answered(200, told), answered(500, `no ${key}`)]) {
      const fault = await faultOf(complete(upstreamOf('openai', [response], { ...once, key }).model));
      expect(fault.message).toContain('[redacted: secret]');
      expect(`${fault.message} ${fault.vendorCode}`).not.toContain(key);
    }
  });

  it('has a word of its vendor that is short', async () => {
    const fault = await answerFault(answered(400, { error: { message: 'no', type: 'x'.repeat(5_000) } }));
    expect(fault.vendorCode?.length).toBe(65);
    expect(fault.message.length).toBeLessThan(200);
  });

  it('is told in full where the key is a word as local servers have it', async () => {
    const { message } = await faultOf(
      complete(upstreamOf('openai', [answered(400, { error: 'none of these' })], { key: 'none' }).model),
    );
    expect(message).toBe('the upstream answered 400: none of these');
  });

  it('is none where the field is there and empty', async () => {
    const choices = [{ index: 0, message: { content: 'one' }, finish_reason: 'stop' }];
    for (const error of ['', null, {}, false]) {
      const { model } = upstreamOf('openai', [answered(200, { error, choices })]);
      expect((await complete(model)).choices[0]!.message.content).toBe('one');
    }
  });

  it('that never ends is not read to its end', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
      },
    });
    expect(
      await answerFault(new Response(endless as ReadableStream<Uint8Array<ArrayBuffer>>, { status: 500 })),
    ).toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: 'the upstream answered 500',
    });
    expect(pulled).toBeLessThan(20);
  });

  it('is a redirect, which is not followed', async () => {
    const { model, sent } = upstreamOf('openai', [answered(307, '', { location: 'https://elsewhere.example/' })]);
    expect(await faultOf(complete(model))).toMatchObject({
      code: 'UPSTREAM_INVALID_ANSWER',
      status: 307,
      isRetryable: false,
    });
    expect(sent.map(({ redirect }) => redirect)).toEqual(['manual']);
  });
});

describe('an answer with status 200', () => {
  it('that holds an error is one', async () => {
    const error = { error: { message: 'Slow down.', type: 'rate_limit_error' } };
    const expected = { code: 'UPSTREAM_RATE_LIMITED', status: 429, isRetryable: true };
    expect(await answerFault(answered(200, error))).toMatchObject(expected);
    expect(await streamFault(answered(200, error, { 'content-type': 'application/json' }))).toMatchObject(expected);
    expect(await streamFault(eventStream(JSON.stringify(error)))).toMatchObject(expected);
  });

  it('that is a web page says what may be wrong', async () => {
    const page = '\n <html><title>Sign in</title></html>';
    const expected = {
      code: 'UPSTREAM_INVALID_ANSWER',
      message: 'the answer of the upstream is a web page; VCP_UPSTREAM_URL may be wrong',
    };
    expect(await answerFault(answered(200, page))).toMatchObject(expected);
    expect(await streamFault(answered(200, page, { 'content-type': 'text/html' }))).toMatchObject(expected);
  });

  it('that is no JSON, or too much of it, is refused', async () => {
    expect(await answerFault(answered(200, '{"choices":'))).toMatchObject({ code: 'UPSTREAM_INVALID_ANSWER' });
    expect(await answerFault(answered(200, '['.repeat(100_000)))).toMatchObject({
      code: 'UPSTREAM_INVALID_ANSWER',
      message: 'the answer of the upstream is nested deeper than 64 levels',
    });
    expect(await answerFault(answered(200, '{"__proto__":{"choices":[]}}'))).toMatchObject({
      code: 'UPSTREAM_INVALID_ANSWER',
    });
  });

  it('is bounded in size', async () => {
    const limits = { upstreamAttempts: 1, upstreamAnswerBytes: 1_000 };
    const large = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(1_000) } }] });
    const { model } = upstreamOf('openai', [answered(200, large), answered(200, large)], { limits });
    const expected = { code: 'UPSTREAM_TOO_LARGE', message: "the upstream's answer is larger than 1000 bytes" };
    expect(await faultOf(complete(model))).toMatchObject(expected);
    expect((await eventsOf(model)).error).toMatchObject(expected);
  });
});

describe('a stream', () => {
  it('is bounded by event and as a whole', async () => {
    const long = `data: ${'x'.repeat(5_000)}`;
    expect(await streamFault(eventStream(long, 100), { upstreamEventBytes: 1_000 })).toMatchObject({
      code: 'UPSTREAM_TOO_LARGE',
      message: "an event of the upstream's stream is larger than 1000 bytes",
    });
    const lines = 'data: 0123456789\n'.repeat(500);
    expect(await streamFault(eventStream(lines, 100), { upstreamEventBytes: 1_000 })).toMatchObject({
      code: 'UPSTREAM_TOO_LARGE',
    });
    expect(
      await streamFault(eventStream(': comment\n\n'.repeat(500), 100), { upstreamStreamBytes: 1_000 }),
    ).toMatchObject({
      code: 'UPSTREAM_TOO_LARGE',
      message: "the upstream's stream is larger than 1000 bytes",
    });
  });

  it('of JSON that is broken, deep or no object fails', async () => {
    for (const data of ['{"choices":[', '[1]', '"text"', '['.repeat(1_000), 'hello'])
      expect(await streamFault(eventStream(`data: ${data}\n\n${GOOD}`))).toMatchObject({
        code: 'UPSTREAM_INVALID_ANSWER',
      });
  });

  it('may be mislabelled, begin with blanks, and have empty events', async () => {
    const { model } = upstreamOf('openai', [
      new Response(bodyOf(`\n\n \n\ndata:\n\nretry: 10\n\nid: 7\nunknown: x\n${GOOD}`, 1), {
        headers: { 'content-type': 'text/plain' },
      }),
    ]);
    const { events, error } = await eventsOf(model);
    expect([textIn(events), error]).toEqual(['one', null]);
  });

  it('without a body is cut off', async () => {
    expect(await streamFault(new Response(null, { status: 200 }))).toMatchObject({ code: 'UPSTREAM_CUT_OFF' });
  });

  it('that goes on after its end is left', async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(GOOD)),
      cancel: () => {
        isCancelled = true;
      },
    });
    const { model, sent } = upstreamOf('openai', [new Response(body)]);
    const { events, error } = await eventsOf(model);
    expect([textIn(events), error, sent[0]!.signal.aborted]).toEqual(['one', null, true]);
    expect(isCancelled).toBe(true);
  });

  it('that breaks in the middle is cut off, and tells nothing of the network', async () => {
    let isFirst = true;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        if (isFirst) controller.enqueue(new TextEncoder().encode(GOOD.slice(0, 90)));
        else
          controller.error(
            new TypeError('terminated', { cause: Object.assign(new Error('10.0.0.7'), { code: 'ECONNRESET' }) }),
          );
        isFirst = false;
      },
    });
    expect(await streamFault(new Response(body))).toMatchObject({
      code: 'UPSTREAM_CUT_OFF',
      isRetryable: true,
      message: "the upstream's answer broke off (ECONNRESET)",
    });
  });
});

describe('a network failure', () => {
  it('is told by its kind only', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:8080'), { code: 'ECONNREFUSED' });
    const { model } = upstreamOf('openai', [new TypeError('fetch failed', { cause: refused })], once);
    expect(await faultOf(complete(model))).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      status: null,
      isRetryable: true,
      message: 'the upstream cannot be reached (ECONNREFUSED)',
    });
  });
});
