import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createUpstreamFetch } from '../../adapters/node/upstream-fetch.ts';
import { createUpstream, type UpstreamConfiguration } from '../../src/chat/models/create-upstream.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { asking, eventsOf, faultOf, KEY, never, textIn } from '../support/upstream.ts';

// Real sockets on loopback: what a list of answers in the unit tests cannot show.

const network = createUpstreamFetch();
afterAll(network.close);

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const serve = async (handle: Handler): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer(handle).on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  toClose.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Answers each request with the next handler, the last one for all that follow. */
const inTurn = (...handlers: readonly Handler[]) => {
  const asked: IncomingMessage[] = [];
  const handle: Handler = (request, response) => {
    asked.push(request);
    // Whole requests only: an answer before the end of the body would be another case.
    request.resume().on('end', () => handlers[Math.min(asked.length, handlers.length) - 1]!(request, response));
  };
  return { handle, asked };
};

const modelAt = (
  url: string,
  limits: Partial<Limits> = {},
  kind: UpstreamConfiguration['VCP_UPSTREAM_KIND'] = 'openai',
) => {
  const waits: number[] = [];
  const model = createUpstream(
    { VCP_UPSTREAM_URL: url, VCP_UPSTREAM_KEY: KEY, VCP_UPSTREAM_KIND: kind, VCP_MODEL_REDIRECTS: [] },
    {
      fetch: network.fetch,
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      pause: {
        random: () => 0.5,
        sleep: (ms, signal) => {
          waits.push(ms);
          return sleep(ms, signal);
        },
      },
      limits: { ...DEFAULT_LIMITS, upstreamRetryDelayMs: 20, ...limits },
    },
  );
  return { model: model!, waits };
};

const chunk = (text: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const GOOD = chunk('on') + chunk('e', 'stop') + DONE;
const WHOLE = { choices: [{ index: 0, message: { role: 'assistant', content: 'one' }, finish_reason: 'stop' }] };

const stream: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(GOOD);
};
const busy =
  (headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json', ...headers }).end('{"error":{"message":"busy"}}');
  };
const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Resolves when the client has closed the connection of this request. */
const closed = (response: ServerResponse) => new Promise<void>((done) => response.on('close', done));

describe('an upstream over HTTP', () => {
  it('gets the request whole, with its key, and its stream is read', async () => {
    const bodies: string[] = [];
    const url = await serve((request, response) => {
      let text = '';
      request
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => {
          bodies.push(`${request.method} ${request.url} ${request.headers.authorization} ${text}`);
          stream(request, response);
        });
    });
    const { events, error } = await eventsOf(modelAt(`${url}/v1`).model, asking({ content: 'Grüße 北京' }));
    expect([textIn(events), error]).toEqual(['one', null]);
    expect(bodies).toEqual([
      `POST /v1/chat/completions Bearer ${KEY} {"model":"m","messages":[{"role":"user","content":"Hi"}],"content":"Grüße 北京","stream":true,"stream_options":{"include_usage":true}}`,
    ]);
  });

  it('gives a stream piece by piece, as it comes', async () => {
    let goOn = (): void => undefined;
    const url = await serve((_, response) => {
      begin(response).write(chunk('first'));
      goOn = () => void response.end(chunk('second', 'stop') + DONE);
    });
    const texts: string[] = [];
    for await (const event of modelAt(url).model.stream(asking(), { signal: never })) {
      if (event.type !== 'text') continue;
      texts.push(event.text);
      // The second piece exists only after the first one was heard.
      if (texts.length === 1) goOn();
    }
    expect(texts).toEqual(['first', 'second']);
  });

  it('may compress, and bytes are counted after that', async () => {
    const url = await serve(
      inTurn(
        (_, response) => {
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(WHOLE)));
        },
        (_, response) => {
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`{"a":"${'x'.repeat(5_000_000)}"}`));
        },
      ).handle,
    );
    const { model } = modelAt(url, { upstreamAnswerBytes: 100_000 });
    expect((await model.complete(asking(), { signal: never })).choices[0]!.message.content).toBe('one');
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({ code: 'UPSTREAM_TOO_LARGE' });
  });

  it('is asked over the same connection again after a complete stream', async () => {
    const ports: (number | undefined)[] = [];
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      request.resume().on('end', () => stream(request, response));
    });
    const { model } = modelAt(url);
    for (let turn = 0; turn < 6; turn += 1) expect(textIn((await eventsOf(model)).events)).toBe('one');
    // A request right after another may find the connection not yet free, as with any fetch.
    expect(ports.length).toBe(6);
    expect(new Set(ports).size).toBeLessThanOrEqual(2);
  });
});

describe('an upstream that is busy', () => {
  it('is asked again, not before it wants to be', async () => {
    const { handle, asked } = inTurn(busy(), busy({ 'retry-after': '1' }), stream);
    const { model, waits } = modelAt(await serve(handle));
    const start = performance.now();
    const { events } = await eventsOf(model);
    expect([textIn(events), asked.length, waits]).toEqual(['one', 3, [10, 1_000]]);
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  it('is asked again after a date, as the header has it too', async () => {
    const { handle } = inTurn((request, response) => {
      // HTTP dates have no fractions of a second.
      busy({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() })(request, response);
    }, stream);
    const { model, waits } = modelAt(await serve(handle));
    expect(textIn((await eventsOf(model)).events)).toBe('one');
    expect(waits.length).toBe(1);
    expect(waits[0]).toBeGreaterThan(900);
    expect(waits[0]).toBeLessThanOrEqual(2_000);
  });

  it('is left alone while the caller who waits for it has gone', async () => {
    const { handle, asked } = inTurn(busy({ 'retry-after': '20' }));
    const caller = new AbortController();
    const work = modelAt(await serve(handle)).model.complete(asking(), { signal: caller.signal });
    setTimeout(() => caller.abort(new Error('gone')), 100);
    await expect(work).rejects.toThrow('gone');
    expect(asked.length).toBe(1);
  });

  it('refuses connections, which is told without its address', async () => {
    const url = await serve(stream);
    for (const close of toClose.splice(0)) await close();
    const { code, message } = await faultOf(modelAt(url).model.complete(asking(), { signal: never }));
    expect(code).toBe('UPSTREAM_UNREACHABLE');
    // Deno's fetch does not tell the kind.
    expect(message).toMatch(/^the upstream cannot be reached(?: \(ECONNREFUSED\))?$/);
  });
});

describe('an upstream whose connection breaks', () => {
  it('before an answer is asked again', async () => {
    const { handle, asked } = inTurn((request) => request.socket.destroy(), stream);
    expect(textIn((await eventsOf(modelAt(await serve(handle)).model)).events)).toBe('one');
    expect(asked.length).toBe(2);
  });

  it('after its headers is asked again', async () => {
    const { handle, asked } = inTurn((_, response) => {
      begin(response).flushHeaders();
      setTimeout(() => response.destroy(), 20);
    }, stream);
    expect(textIn((await eventsOf(modelAt(await serve(handle)).model)).events)).toBe('one');
    expect(asked.length).toBe(2);
  });

  it.each([
    ['by a reset in the middle of an event', 'half an event', true],
    ['by an orderly end in the middle of an event', 'half an event', false],
    ['by an orderly end between two events', '', false],
  ])('%s, after something was said, ends the stream with what came', async (_, rest, isReset) => {
    const { handle, asked } = inTurn((_request, response) => {
      begin(response).write(chunk('one') + (rest === '' ? '' : 'data: {"choices":[{"ind'));
      setTimeout(() => (isReset ? response.destroy() : response.end()), 30);
    });
    const { events, error } = await eventsOf(modelAt(await serve(handle)).model);
    expect([textIn(events), error?.code, error?.isRetryable, asked.length]).toEqual([
      'one',
      'UPSTREAM_CUT_OFF',
      true,
      1,
    ]);
  });
});

describe('an upstream that is slow', () => {
  it('never begins its stream: it is asked so many times, and its connections are closed', async () => {
    const ends: Promise<void>[] = [];
    const { handle, asked } = inTurn((_, response) => void ends.push(closed(response)));
    const { model } = modelAt(await serve(handle), { upstreamIdleMs: 60 });
    expect((await eventsOf(model)).error).toMatchObject({ code: 'UPSTREAM_IDLE' });
    expect(asked.length).toBe(3);
    await Promise.all(ends);
  });

  it('falls silent in the middle: the stream ends, and its connection', async () => {
    let end = Promise.resolve();
    const url = await serve((_, response) => {
      begin(response).write(chunk('one'));
      end = closed(response);
    });
    const { events, error } = await eventsOf(modelAt(url, { upstreamIdleMs: 60 }).model);
    expect([textIn(events), error?.code]).toEqual(['one', 'UPSTREAM_IDLE']);
    await end;
  });

  it('dribbles bytes of an event that never ends: the same', async () => {
    const url = await serve((_, response) => {
      begin(response).write(`${chunk('one')}data: `);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect((await eventsOf(modelAt(url, { upstreamIdleMs: 80 }).model)).error).toMatchObject({ code: 'UPSTREAM_IDLE' });
  });

  it('dribbles whole events or comments: it is heard to its end', async () => {
    const url = await serve((_, response) => {
      const pieces = [...GOOD.split(/(?<=\n\n)/), ''].flatMap((event) => [': working\n\n', event]);
      begin(response);
      const timer = setInterval(() => {
        const piece = pieces.shift();
        if (piece === undefined) response.end();
        else if (piece !== '') response.write(piece);
      }, 40);
      response.on('close', () => clearInterval(timer));
    });
    expect(textIn((await eventsOf(modelAt(url, { upstreamIdleMs: 200 }).model)).events)).toBe('one');
  });

  it('takes too long for a whole answer: its connection is closed', async () => {
    let end = Promise.resolve();
    const url = await serve((_, response) => void (end = closed(response)));
    const { model } = modelAt(url, { upstreamRequestMs: 80 });
    expect(await faultOf(model.complete(asking(), { signal: never }))).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    await end;
  });
});

describe('a caller who leaves', () => {
  it('by its signal closes the connection', async () => {
    let end = Promise.resolve();
    const url = await serve((_, response) => {
      begin(response).write(chunk('one'));
      end = closed(response);
    });
    const caller = new AbortController();
    const work = (async () => {
      for await (const event of modelAt(url).model.stream(asking(), { signal: caller.signal }))
        if (event.type === 'text') caller.abort(new Error('gone'));
    })();
    await expect(work).rejects.toThrow('gone');
    await end;
  });

  it('by listening no more closes the connection', async () => {
    let end = Promise.resolve();
    const url = await serve((_, response) => {
      begin(response).write(chunk('one'));
      end = closed(response);
    });
    for await (const event of modelAt(url).model.stream(asking(), { signal: never })) if (event.type === 'text') break;
    await end;
  });
});

describe('a redirect', () => {
  it.each(['openai', 'anthropic', 'gemini'] as const)('of %s does not carry the key elsewhere', async (kind) => {
    const elsewhere = inTurn(stream);
    const target = await serve(elsewhere.handle);
    const { handle } = inTurn((_, response) => void response.writeHead(307, { location: `${target}/v1/x` }).end());
    const { error } = await eventsOf(modelAt(await serve(handle), {}, kind).model);
    expect(error).toMatchObject({ code: 'UPSTREAM_INVALID_ANSWER', status: 307 });
    expect(elsewhere.asked).toEqual([]);
  });
});
