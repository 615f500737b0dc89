import { afterEach, describe, expect, it, vi } from 'vitest';
import { answered, asking, eventStream, eventsOf, faultOf, never, textIn, upstreamOf } from '../../support/upstream.ts';

const GOOD = 'data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const WHOLE = { choices: [{ index: 0, message: { role: 'assistant', content: 'one' }, finish_reason: 'stop' }] };
const busy = (headers = {}) => answered(503, { error: { message: 'busy' } }, headers);
const failed = () => new TypeError('fetch failed');

describe('a failure that may pass', () => {
  it('is answered by another attempt, after a wait that doubles', async () => {
    const { model, sent, waits } = upstreamOf('openai', [busy(), failed(), answered(200, WHOLE)]);
    expect((await model.complete(asking(), { signal: never })).choices[0]!.message.content).toBe('one');
    expect([sent.length, waits]).toEqual([3, [250, 500]]);
  });

  it('is one in the end, after so many attempts', async () => {
    const { model, sent } = upstreamOf('openai', [busy(), busy(), busy()]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({ code: 'UPSTREAM_OVERLOADED' });
    expect(sent.length).toBe(3);
  });

  it('of a stream is answered by another one before anything was said', async () => {
    const error = 'data: {"error":{"message":"busy","type":"overloaded_error"}}\n\n';
    const { model, sent } = upstreamOf('openai', [eventStream(error), eventStream(''), eventStream(GOOD)]);
    const { events } = await eventsOf(model);
    expect([textIn(events), sent.length]).toEqual(['one', 3]);
    expect(events.filter(({ type }) => type === 'start').length).toBe(1);
  });

  it('right after the start of a stream is answered by another one, which is the only start', async () => {
    const start = 'event: message_start\ndata: {"type":"message_start","message":{"id":"first","usage":{}}}\n\n';
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const rest =
      'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"one"}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\ndata: {"type":"message_stop"}\n\n';
    const { model, sent } = upstreamOf('anthropic', [
      eventStream(start + error),
      eventStream(start.replace('first', 'second') + rest),
    ]);
    const { events } = await eventsOf(model, asking({ seed: 1 }));
    expect(sent.length).toBe(2);
    expect(events.map(({ type }) => type)).toEqual(['notice', 'start', 'text', 'finish', 'usage']);
    expect(events[1]).toMatchObject({ id: 'second' });
  });

  it('of a stream that has said something ends it', async () => {
    const cut = GOOD.replace('"stop"', 'null').replace('data: [DONE]\n\n', '');
    const { model, sent } = upstreamOf('openai', [eventStream(cut)]);
    const { events, error } = await eventsOf(model);
    expect([textIn(events), error?.code, sent.length]).toEqual(['one', 'UPSTREAM_CUT_OFF', 1]);
  });

  it('of the list of models is repeated too', async () => {
    const { model, sent } = upstreamOf('openai', [busy(), answered(200, { data: [{ id: 'a' }] })]);
    expect((await model.listModels({ signal: never })).map(({ id }) => id)).toEqual(['a']);
    expect(sent.length).toBe(2);
  });
});

describe('a failure that stays', () => {
  it('is told at once', async () => {
    const { model, sent } = upstreamOf('openai', [answered(400, { error: { message: 'no' } })]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({ code: 'UPSTREAM_REFUSED' });
    expect(sent.length).toBe(1);
  });
});

describe('a wait that the upstream asks for', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '9', 'retry-after-ms': '120' }, 120],
    [{ 'retry-after': 'soon' }, 250],
    [{ 'retry-after': '-5' }, 250],
    [{ 'retry-after': '2026' }, null],
  ])('%j is %s ms', async (headers, ms) => {
    const { model, waits } = upstreamOf('openai', [busy(headers), answered(200, WHOLE)]);
    const work = model.complete(asking(), { signal: never });
    if (ms === null) expect(await faultOf(work)).toMatchObject({ retryAfterMs: 2_026_000 });
    else await work;
    expect(waits).toEqual(ms === null ? [] : [ms]);
  });

  it('that is longer than the longest wait is the answer', async () => {
    const { model, sent } = upstreamOf('openai', [busy({ 'retry-after': '31' })]);
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({
      retryAfterMs: 31_000,
      isRetryable: true,
    });
    expect(sent.length).toBe(1);
  });
});

describe('the caller who gives up', () => {
  const reason = new Error('gave up');

  it('ends a request that waits for its answer, with the reason', async () => {
    const caller = new AbortController();
    const { model, sent } = upstreamOf('openai', ['silence']);
    const work = model.complete(asking(), { signal: caller.signal });
    setTimeout(() => caller.abort(reason), 5);
    await expect(work).rejects.toBe(reason);
    expect(sent[0]!.signal.aborted).toBe(true);
  });

  it('ends a stream in the middle', async () => {
    const caller = new AbortController();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(GOOD.slice(0, GOOD.indexOf('data: [DONE]')))),
    });
    const { model, sent } = upstreamOf('openai', [new Response(body)]);
    const work = (async () => {
      for await (const event of model.stream(asking(), { signal: caller.signal }))
        if (event.type === 'finish') caller.abort(reason);
    })();
    await expect(work).rejects.toBe(reason);
    expect(sent[0]!.signal.aborted).toBe(true);
  });

  it('sends nothing when that was before', async () => {
    const { model, sent } = upstreamOf('openai', []);
    await expect(model.complete(asking(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(sent.filter(({ signal }) => !signal.aborted)).toEqual([]);
  });

  it('ends a stream by leaving it', async () => {
    const { model, sent } = upstreamOf('openai', [eventStream(GOOD, 1)]);
    for await (const event of model.stream(asking(), { signal: never })) {
      expect(event.type).toBe('start');
      break;
    }
    expect(sent[0]!.signal.aborted).toBe(true);
  });
});

describe('time', () => {
  afterEach(() => vi.useRealTimers());

  it('has nothing left to run out when an answer is there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { model } = upstreamOf('openai', [eventStream(GOOD), busy(), answered(200, WHOLE)]);
    expect(textIn((await eventsOf(model)).events)).toBe('one');
    await model.complete(asking(), { signal: never });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('bounds a request with all its attempts', async () => {
    const { model } = upstreamOf('openai', ['silence'], { limits: { upstreamRequestMs: 20 } });
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: 'the upstream took longer than 20 ms',
    });
  });

  it('bounds a stream as a whole, however lively', async () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        await new Promise((done) => setTimeout(done, 5));
        controller.enqueue(new TextEncoder().encode(': still here\n\n'));
      },
    });
    const { model } = upstreamOf('openai', [new Response(body)], { limits: { upstreamRequestMs: 60 } });
    expect((await eventsOf(model)).error).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  it('ends a stream that is silent, or dribbles bytes without an event', async () => {
    const dribbling = () =>
      new Response(
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull: async (controller) => {
            await new Promise((done) => setTimeout(done, 3));
            controller.enqueue(new TextEncoder().encode('x'));
          },
        }),
      );
    const limits = { upstreamIdleMs: 30, upstreamAttempts: 1 };
    const expected = {
      code: 'UPSTREAM_IDLE',
      isRetryable: true,
      message: "the upstream's stream gave no sign of life for 30 ms",
    };
    expect((await eventsOf(upstreamOf('openai', [dribbling()], { limits }).model)).error).toMatchObject(expected);
    expect((await eventsOf(upstreamOf('openai', ['silence'], { limits }).model)).error).toMatchObject(expected);
    expect(
      (await eventsOf(upstreamOf('openai', [new Response(new ReadableStream())], { limits }).model)).error,
    ).toMatchObject(expected);
  });

  it('that whoever reads a stream takes is no silence of it', async () => {
    const { model } = upstreamOf('openai', [eventStream(GOOD, 40)], { limits: { upstreamIdleMs: 20 } });
    let text = '';
    for await (const event of model.stream(asking(), { signal: never })) {
      await new Promise((done) => setTimeout(done, 40));
      if (event.type === 'text') text += event.text;
    }
    expect(text).toBe('one');
  });
});

describe('another name for a model', () => {
  const options = { redirects: ['fast=gpt-mini', 'best = gpt-large'] };

  it('is asked for under the real one, and answers under its own', async () => {
    const { model, sent } = upstreamOf(
      'openai',
      [
        answered(200, { ...WHOLE, model: 'gpt-mini-2026' }),
        eventStream(GOOD),
        answered(200, { ...WHOLE, model: 'other' }),
      ],
      options,
    );
    expect((await model.complete(asking({ model: 'fast' }), { signal: never })).model).toBe('fast');
    expect((await eventsOf(model, asking({ model: 'best' }))).events[0]).toMatchObject({
      type: 'start',
      model: 'best',
    });
    expect((await model.complete(asking({ model: 'other' }), { signal: never })).model).toBe('other');
    expect(sent.map(({ body }) => (body as { model: string }).model)).toEqual(['gpt-mini', 'gpt-large', 'other']);
  });

  it('is among the models', async () => {
    const { model } = upstreamOf(
      'openai',
      [answered(200, { data: [{ id: 'gpt-mini', created: 5, owned_by: 'o' }] })],
      options,
    );
    expect(await model.listModels({ signal: never })).toEqual([
      { id: 'fast', created: 5, ownedBy: 'o' },
      { id: 'best', created: null, ownedBy: 'unknown' },
      { id: 'gpt-mini', created: 5, ownedBy: 'o' },
    ]);
  });
});
