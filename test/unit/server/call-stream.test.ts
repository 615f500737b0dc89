// A call whose client accepts an event stream: progress as it comes, then one result.
import { describe, expect, it } from 'vitest';
import type { TransportAdapter } from '../../../src/ports/transport.ts';
import { createMemoryApp, createMemoryRuntime, success, type MemoryApp } from '../../support/memory-runtime.ts';

const STREAM = { 'content-type': 'application/json', accept: 'text/event-stream' };
const body = JSON.stringify({ tool: 'Sample', arguments: { a: 1 } });

/** A tool that ends when the test says so, and the calls that it got. */
const heldTool = () => {
  const release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<Parameters<TransportAdapter['execute']>[0]>();
  const transport: TransportAdapter = {
    execute: async (call) => {
      started.resolve(call);
      await release.promise;
      return { payload: success({ done: true }), warnings: [] };
    },
  };
  return { transport, started: started.promise, release: () => release.resolve() };
};

type ServerEvent = { readonly event: string; readonly data: Record<string, unknown> };

const parseEvents = (text: string): ServerEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event, data] = block.split('\n');
      return { event: event!.slice(7), data: JSON.parse(data!.slice(6)) as Record<string, unknown> };
    });

/** Reads until the text so far satisfies the condition, or the stream ends. */
const readUntil = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isEnough: (text: string) => boolean,
): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  while (!isEnough(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
};

describe('a call that is answered as a stream', () => {
  it('gives progress while the tool runs, and then the result and nothing more', async () => {
    const { transport, started, release } = heldTool();
    const { send } = createMemoryApp({ transport });
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const reader = response.body!.getReader();
    const call = await started;
    call.reportProgress({ stage: 'reading', progress: 0.25, message: 'a quarter' });
    const first = await readUntil(reader, (text) => text.includes('\n\n'));
    release();
    const rest = await readUntil(reader, () => false);
    expect(parseEvents(first)).toEqual([
      {
        event: 'vcp_info',
        data: {
          type: 'vcp_info',
          invocationId: call.invocationId,
          taskId: null,
          stage: 'reading',
          progress: 0.25,
          message: 'a quarter',
        },
      },
    ]);
    expect(parseEvents(rest)).toMatchObject([{ event: 'result', data: { status: 'success', data: { done: true } } }]);
  });

  it('gives the view that was asked for', async () => {
    const { send } = createMemoryApp({ answer: () => success({ n: 1 }) });
    const asked = JSON.stringify({ tool: 'Sample', options: { view: 'bridge' } });
    const text = await (await send('/v1/human/tool', { method: 'POST', headers: STREAM, body: asked })).text();
    const events = parseEvents(text);
    expect(events.map(({ event }) => event)).toEqual(['result']);
    expect(Object.keys(events[0]!.data)).not.toContain('policy');
  });

  it('gives a client that reads slowly the newest progress, not all of it', async () => {
    const { transport, started, release } = heldTool();
    const { send } = createMemoryApp({ transport });
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    const call = await started;
    for (let step = 1; step <= 5_000; step += 1) {
      call.reportProgress({ stage: null, progress: step / 5_000, message: `step ${step}` });
      if (step % 500 === 0) await new Promise((done) => setTimeout(done));
    }
    release();
    const events = parseEvents(await response.text());
    const steps = events.filter(({ event }) => event === 'vcp_info').map(({ data }) => data['message']);
    expect(steps.length).toBeLessThan(10);
    expect(steps.at(-1)).toBe('step 5000');
    expect(events.at(-1)?.event).toBe('result');
  });

  it('hides in the progress what it would hide in the result, but for what the caller has named', async () => {
    const stage = 'Bearer sk-abcdefghijklmnopqrstuvwxyz123456';
    const message = 'from /home/ada/in.txt to /srv/vcp/data/out.png';
    const read = async (as: string, view: string) => {
      const { transport, started, release } = heldTool();
      const { send } = createMemoryApp({ transport, knownPaths: ['/srv/vcp'] });
      const asked = JSON.stringify({ tool: 'Sample', arguments: { file: '/home/ada/in.txt' }, options: { view } });
      const answer = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body: asked, as });
      (await started).reportProgress({ stage, progress: 0.5, message });
      release();
      const [event] = parseEvents(await answer.text());
      return [event?.data['stage'], event?.data['message']];
    };
    const hidden = ['Bearer [redacted: secret]', 'from /home/ada/in.txt to [redacted: local path]'];
    expect(await read('alice', 'canonical')).toEqual(hidden);
    expect(await read('operator', 'ai')).toEqual(hidden);
    expect(await read('operator', 'canonical')).toEqual([stage, message]);
  });

  it('tells nobody of the progress of somebody else’s call', async () => {
    const { transport, started, release } = heldTool();
    const { send } = createMemoryApp({ transport });
    const quiet = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body, as: 'bob' });
    const call = await started;
    const talking = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    call.reportProgress({ stage: 'of bob', progress: null, message: null });
    release();
    const [ofBob, ofAlice] = await Promise.all([quiet.text(), talking.text()]);
    expect(parseEvents(ofBob).map(({ event }) => event)).toEqual(['vcp_info', 'result']);
    expect(parseEvents(ofAlice).map(({ event }) => event)).toEqual(['result']);
  });

  it('tells of as many reports as a call may make, to the last', async () => {
    const told: (string | null)[] = [];
    const { runtime } = createMemoryRuntime({
      limits: { progressFrames: 3 },
      answer: ({ reportProgress }) => {
        for (const stage of ['1', '2', '3', '4']) reportProgress({ stage, progress: null, message: null });
        return success(null);
      },
    });
    const onProgress = ({ stage }: { readonly stage: string | null }) => void told.push(stage);
    const context = { source: 'human', owner: 'alice', onProgress } as const;
    await runtime.execute({ toolName: 'Sample', arguments: {}, context });
    expect(told).toEqual(['1', '2', '3']);
  });

  it('cancels the call when its client leaves', async () => {
    const { transport, started, release } = heldTool();
    const { send } = createMemoryApp({ transport });
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    const { signal } = await started;
    const cancelled = new Promise<void>((done) => signal.addEventListener('abort', () => done()));
    await response.body!.cancel();
    await cancelled;
    release();
    expect(signal.aborted).toBe(true);
  });

  it('shows that it lives while nothing happens', async () => {
    const { transport, started, release } = heldTool();
    const { send } = createMemoryApp({ transport, limits: { streamKeepAliveMs: 5 } });
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    await started;
    const reader = response.body!.getReader();
    expect(await readUntil(reader, (text) => text.includes('\n\n'))).toBe(': keep-alive\n\n');
    release();
    expect(parseEvents(await readUntil(reader, () => false)).map(({ event }) => event)).toEqual(['result']);
  });

  it('ends with a problem when the server meets a fault of its own', async () => {
    const { send, logged } = createMemoryApp({
      app: {
        runtime: {
          ...createMemoryRuntime().runtime,
          execute: async () => {
            throw new Error('boom');
          },
        },
      },
    });
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body });
    const events = parseEvents(await response.text());
    expect(events).toMatchObject([{ event: 'problem', data: { status: 500, code: 'INTERNAL_ERROR' } }]);
    expect(JSON.stringify(events)).not.toContain('boom');
    expect(logged.filter(({ level }) => level === 'error')).toMatchObject([{ event: 'http.fault' }]);
  });

  it.each([
    ['a tool that the key may not use', { as: 'limited' }, 403],
    ['a body that is no call', { body: '{}' }, 400],
    ['no key', { as: null }, 401],
  ])('is refused as an ordinary problem: %s', async (_, change, status) => {
    const { send } = createMemoryApp();
    const response = await send('/v1/human/tool', { method: 'POST', headers: STREAM, body, ...change });
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  });
});

describe('a call under a key that is answered as a stream', () => {
  const stream = ({ send }: Pick<MemoryApp, 'send'>, key: string, asked = body, query = '') =>
    send(`/v1/human/tool${query}`, { method: 'POST', headers: { ...STREAM, 'idempotency-key': key }, body: asked });

  it('gives its progress and its result', async () => {
    const { transport, started, release } = heldTool();
    const app = createMemoryApp({ transport });
    const response = await stream(app, 'once');
    expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, null]);
    (await started).reportProgress({ stage: 'half', progress: 0.5, message: null });
    release();
    const events = parseEvents(await response.text());
    expect(events.map(({ event }) => event)).toEqual(['vcp_info', 'result']);
  });

  it('tells that it is a replay by an event, and by the header when the result is there already', async () => {
    const app = createMemoryApp();
    await (await stream(app, 'once')).text();
    const replay = await stream(app, 'once');
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(parseEvents(await replay.text())).toMatchObject([
      { event: 'replayed', data: { replayed: true } },
      { event: 'result', data: { status: 'success' } },
    ]);
  });

  it('tells so also when the stream began before the result was there', async () => {
    const { transport, started, release } = heldTool();
    const app = createMemoryApp({ transport });
    const first = await stream(app, 'once');
    await started;
    const second = await stream(app, 'once');
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, null]);
    release();
    expect(parseEvents(await first.text()).map(({ event }) => event)).toEqual(['result']);
    expect(parseEvents(await second.text()).map(({ event }) => event)).toEqual(['replayed', 'result']);
  });

  it('is refused as an ordinary problem while it is not under way', async () => {
    const { transport, started, release } = heldTool();
    const app = createMemoryApp({ transport });
    const first = await stream(app, 'once');
    await started;
    const other = JSON.stringify({ tool: 'Sample', arguments: { a: 2 } });
    for (const end of [() => undefined, release]) {
      end();
      if (end === release) await first.text();
      const response = await stream(app, 'once', other);
      expect([response.status, response.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
      expect(await response.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    }
  });

  it('is refused with its status and Retry-After when the store does not answer', async () => {
    const fails = () => Promise.reject(new Error('disk full'));
    const app = createMemoryApp({
      keys: { claim: fails, takeOver: fails, find: fails, extend: fails, removeExpired: fails },
    });
    const response = await stream(app, 'once');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('says in its problem event when to come back', async () => {
    const { transport, started, release } = heldTool();
    const app = createMemoryApp({ transport });
    const first = await stream(app, 'once');
    await started;
    const response = await stream(app, 'once', body, '?timeoutMs=30');
    expect(response.status).toBe(200);
    expect(parseEvents(await response.text())).toMatchObject([
      { event: 'problem', data: { status: 409, code: 'IDEMPOTENCY_KEY_IN_USE', retryAfter: 2 } },
    ]);
    release();
    await first.text();
  });
});

describe('what the client accepts decides', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['text/event-stream;q=0', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ])('%s', async (accept, type) => {
    const { send } = createMemoryApp();
    const headers = { 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) };
    const response = await send('/v1/human/tool', { method: 'POST', headers, body });
    expect(response.headers.get('content-type')).toBe(type);
    await response.text();
  });
});
