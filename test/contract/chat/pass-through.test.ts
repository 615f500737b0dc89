// Requests for models on the white lists, over real sockets on both sides.
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  asking,
  setUpPassThrough,
  UPSTREAM_KEY,
  type Answering,
  type PassThroughSetup,
} from '../../support/pass-through.ts';

let setup: PassThroughSetup;
beforeEach(() => {
  setup = setUpPassThrough();
});
afterEach(() => setup.close());

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const ok: Answering = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

describe('a request for an embedding model', () => {
  it('reaches the upstream byte for byte, with the key of the server', async () => {
    const { post, received } = await setup.start(ok);
    // Spaces, a number beyond what a double holds, an escape that need not be, fields that nobody knows.
    const body =
      '\n{ "input" : ["Gr\\u00fc\\u00dfe", "\\/"],\t"seed":123456789012345678901.10, "model":"text-embedding-3-small","x":{"model":"y"}}  \n';
    expect((await post('/v1/embeddings?api-version=1', body)).status).toBe(200);
    expect(received).toHaveLength(1);
    const [request] = received;
    expect([request!.method, request!.url]).toEqual(['POST', '/v1/embeddings']);
    expect(request!.body.toString()).toBe(body);
    expect(request!.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(request!.headers['content-type']).toBe('application/json');
  });

  it('takes nothing else of the caller along', async () => {
    const { post, received } = await setup.start(ok);
    await post('/v1/embeddings', asking(), {
      headers: {
        cookie: 'session=1',
        'openai-organization': 'org-of-the-caller',
        'x-forwarded-for': '10.0.0.1',
        'x-api-key': 'key-of-alice',
        'x-request-id': 'req_01K00000000000000000000000',
        te: 'trailers',
        accept: 'application/json',
      },
    });
    const { headers } = received[0]!;
    // What every request of `fetch` has, on one runtime or another.
    const ofFetch = new Set([
      'accept-language',
      'connection',
      'content-length',
      'host',
      'sec-fetch-mode',
      'user-agent',
    ]);
    expect(
      Object.keys(headers)
        .filter((name) => !ofFetch.has(name))
        .toSorted(),
    ).toEqual(['accept', 'accept-encoding', 'authorization', 'content-type']);
    expect(JSON.stringify(headers)).not.toContain('alice');
    expect([headers.accept, headers['accept-encoding']]).toEqual(['application/json', 'identity']);
  });

  it('gets the answer byte for byte, whatever it is', async () => {
    let next: { status: number; type: string; body: Uint8Array } = { status: 200, type: 'a/b', body: new Uint8Array() };
    const { post } = await setup.start((_, response) => {
      const { status, type, body } = next;
      response.writeHead(status, { 'content-type': type });
      // In pieces, as networks have them.
      for (let at = 0; at < body.length; at += 1_000) response.write(body.subarray(at, at + 1_000));
      response.end();
    });
    const types = fc.constantFrom(
      'application/json',
      'application/problem+json',
      'text/html; charset=gbk',
      'image/png',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5_000 }),
        types,
        fc.constantFrom(200, 201, 400, 403, 404, 422, 429, 500, 529),
        async (body, type, status) => {
          next = { status, type, body };
          const response = await post('/v1/embeddings', asking());
          expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
          expect((await bytesOf(response)).equals(Buffer.from(body))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['TEXT-Embedding-3-Small', 'other-embedding', 'OTHER-EMBEDDING'])('is known as %s too', async (model) => {
    const { post, received } = await setup.start(ok);
    expect((await post('/v1/embeddings', asking({ model }))).status).toBe(200);
    // The name goes on as it was written.
    expect(JSON.parse(received[0]!.body.toString())).toMatchObject({ model });
  });

  it('has only the name of its model replaced where that is an alias', async () => {
    const { post, received } = await setup.start(ok, { VCP_MODEL_REDIRECTS: 'embed=text-embedding-3-small' });
    await post('/v1/embeddings', '{"input" : 1.0, "model" :"em\\u0062ed", "n":1e400}');
    expect(received[0]!.body.toString()).toBe('{"input" : 1.0, "model" :"text-embedding-3-small", "n":1e400}');
  });

  it('streams: what has come is given out before the rest is there', async () => {
    let goOn = (): void => undefined;
    const { post } = await setup.start((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      goOn = () => void response.end('data: 2\n\n');
    });
    const response = await post('/v1/embeddings', asking({ stream: true }));
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 1\n\n');
    goOn();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 2\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  it('gets an answer that was packed although nobody asked for it, unpacked and without a wrong length', async () => {
    const text = JSON.stringify({ data: Array.from({ length: 5_000 }, (_, index) => index / 7) });
    const { post } = await setup.start((_, response) => {
      const packed = gzipSync(text);
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': packed.length,
      };
      response.writeHead(200, headers).end(packed);
    });
    const response = await post('/v1/embeddings', asking());
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe(text);
  });

  it('carries many megabytes both ways, and holds no more of an answer than its client takes', async () => {
    const large = Buffer.alloc(80 * 1024 * 1024, 'x');
    let written = 0;
    const { post, received } = await setup.start((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': large.length });
      const more = (): void => {
        while (written < large.length) {
          const piece = large.subarray(written, written + 64 * 1024);
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const body = asking({ input: 'y'.repeat(12 * 1024 * 1024) });
    const response = await post('/v1/embeddings', body);
    expect(received[0]!.body.toString() === body).toBe(true);
    await new Promise((done) => setTimeout(done, 300));
    expect(written).toBeLessThan(large.length / 2);
    expect(response.headers.get('content-length')).toBe(String(large.length));
    expect((await bytesOf(response)).equals(large)).toBe(true);
  });
});

describe('what an upstream says of itself', () => {
  it('stays behind: headers of the connection, of the account and of its network', async () => {
    const { post } = await setup.start((_, response) => {
      response
        .writeHead(429, {
          'content-type': 'application/json',
          'retry-after': '7',
          'set-cookie': 'a=b',
          'openai-organization': 'the-operators',
          'x-ratelimit-remaining-requests': '3',
          'x-request-id': 'req_of_the_upstream',
          server: 'internal-7.corp',
          'access-control-allow-origin': '*',
          trailer: 'x-end',
        })
        .end('{"error":{"message":"slow down"}}');
    });
    const response = await post('/v1/embeddings', asking());
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await response.text()).toBe('{"error":{"message":"slow down"}}');
    const ofTheConnection = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);
    expect([...response.headers.keys()].filter((name) => !ofTheConnection.has(name)).toSorted()).toEqual([
      'content-type',
      'retry-after',
      'x-accel-buffering',
      'x-content-type-options',
      'x-request-id',
    ]);
    expect(response.headers.get('x-request-id')).not.toBe('req_of_the_upstream');
  });

  it('holds no key: not in an error, not in the answer to a key that it does not take', async () => {
    let status = 400;
    const { post } = await setup.start((request, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json', 'www-authenticate': request.headers.authorization! })
        .end(JSON.stringify({ error: { message: `you sent ${request.headers.authorization}`, code: 'bad' } }));
    });
    const refused = await post('/v1/embeddings', asking());
    expect([refused.status, await refused.text()]).toEqual([
      400,
      `{"error":{"message":"you sent Bearer ${'*'.repeat(UPSTREAM_KEY.length)}","code":"bad"}}`,
    ]);
    status = 401;
    const unauthorized = await post('/v1/embeddings', asking());
    const text = await unauthorized.text();
    // To the caller, 401 would say that its own key is wrong.
    expect([unauthorized.status, unauthorized.headers.get('www-authenticate')]).toEqual([502, null]);
    expect(JSON.parse(text)).toMatchObject({ code: 'UPSTREAM_UNAUTHORIZED', error: { type: 'server_error' } });
    expect(text).not.toContain(UPSTREAM_KEY);
  });

  it('is not a way elsewhere: a redirect is not followed', async () => {
    const { post, received } = await setup.start((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:9/v1/embeddings' }).end();
    });
    const response = await post('/v1/embeddings', asking());
    expect([response.status, response.headers.get('location')]).toEqual([502, null]);
    expect(await response.json()).toMatchObject({ code: 'UPSTREAM_INVALID_ANSWER' });
    expect(received).toHaveLength(1);
  });
});

describe('a connection that ends too soon', () => {
  it('to the upstream is a 502 before the answer', async () => {
    const { post } = await setup.start((_, response) => void response.destroy());
    const response = await post('/v1/embeddings', asking());
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      error: { code: 'UPSTREAM_UNREACHABLE' },
    });
  });

  it.each([{}, { 'content-length': '1000' }])('within the answer is never taken for its end (%j)', async (headers) => {
    const { post, warnings } = await setup.start((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).write('{"data":[');
      setTimeout(() => response.destroy(), 50);
    });
    const response = await post('/v1/embeddings', asking());
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(warnings).toEqual(['pass-through.broken-off']);
  });

  it('from the client ends the request of the upstream, before its answer and within it', async () => {
    let begins = false;
    const { post, received, memory, warnings } = await setup.start((_, response) => {
      if (begins) response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    const first = new AbortController();
    const waiting = post('/v1/embeddings', asking(), { signal: first.signal });
    await expect.poll(() => received.length).toBe(1);
    first.abort();
    await expect(waiting).rejects.toThrow();
    await received[0]!.closed;

    begins = true;
    const second = new AbortController();
    const response = await post('/v1/embeddings', asking(), { signal: second.signal });
    await response.body!.getReader().read();
    second.abort();
    await received[1]!.closed;
    expect(warnings).toEqual([]);
    expect(memory.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });
});

describe('the time of the upstream', () => {
  it('is bounded until its answer begins', async () => {
    const { post, received } = await setup.start(() => undefined, {}, { upstreamRequestMs: 200 });
    const response = await post('/v1/embeddings', asking());
    expect([response.status, (await response.json()) as object]).toEqual([
      504,
      expect.objectContaining({ code: 'UPSTREAM_TIMEOUT', detail: 'the upstream took longer than 200 ms' }),
    ]);
    await received[0]!.closed;
  });

  it.each([
    ['in silence', { upstreamIdleMs: 150 }, 0],
    ['as a whole', { upstreamRequestMs: 400 }, 50],
  ])('is bounded within its answer, %s', async (_how, limits, everyMs) => {
    const { post, received } = await setup.start(
      (request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
        if (everyMs === 0) return;
        const timer = setInterval(() => response.write('data: 2\n\n'), everyMs);
        void request.closed.then(() => clearInterval(timer));
      },
      {},
      limits,
    );
    const response = await post('/v1/embeddings', asking());
    await expect(response.text()).rejects.toThrow();
    await received[0]!.closed;
  });
});

describe('a request that does not pass', () => {
  it.each([
    ['a model on no list', asking({ model: 'gpt-5' }), 400, 'MODEL_NOT_LISTED'],
    ['two models', '{"model":"text-embedding-3-small","model":"gpt-5"}', 400, 'INVALID_REQUEST'],
    ['two models in two spellings', '{"model":"text-embedding-3-small","Mod\\u0065l":"gpt-5"}', 400, 'INVALID_REQUEST'],
    ['no model', '{"input":"x"}', 400, 'INVALID_REQUEST'],
    ['a model that is no text', '{"model":["text-embedding-3-small"]}', 400, 'INVALID_REQUEST'],
    ['a model within something else', '{"x":{"model":"text-embedding-3-small"}}', 400, 'INVALID_REQUEST'],
    ['two objects', '{"model":"text-embedding-3-small"}{"model":"gpt-5"}', 400, 'INVALID_REQUEST'],
    ['half an object', '{"model":"text-embedding-3-small","input":"', 400, 'INVALID_REQUEST'],
    ['a list', '["model"]', 400, 'INVALID_REQUEST'],
    ['nothing', '', 400, 'INVALID_REQUEST'],
  ])('has %s', async (_what, body, status, code) => {
    const { post, received } = await setup.start(ok);
    for (const path of ['/v1/embeddings', '/v1/images/generations']) {
      const response = await post(path, body);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({
        code,
        error: { code, type: 'invalid_request_error', param: '/model', message: expect.any(String) },
      });
    }
    expect(received).toEqual([]);
  });

  it.each([
    ['another type', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an encoding', { 'content-encoding': 'gzip' }],
  ])('has %s, in which the upstream may read another model', async (_what, headers) => {
    const { post, received } = await setup.start(ok);
    expect((await post('/v1/embeddings', asking(), { headers })).status).toBe(415);
    expect(received).toEqual([]);
  });

  it('is a stranger’s, or of a key that uses nothing', async () => {
    const { post, received } = await setup.start(ok);
    expect((await post('/v1/embeddings', asking(), { as: 'nobody' })).status).toBe(401);
    expect((await post('/v1/embeddings', asking(), { as: 'node' })).status).toBe(403);
    expect(received).toEqual([]);
  });

  it('is larger than a request may be', async () => {
    const { post } = await setup.start(ok, {}, { requestBodyBytes: 1_000 });
    expect((await post('/v1/embeddings', asking({ input: 'x'.repeat(2_000) }))).status).toBe(413);
  });

  it('is for an upstream that speaks otherwise', async () => {
    const { post, received } = await setup.start(ok, { VCP_UPSTREAM_KIND: 'anthropic' });
    const response = await post('/v1/embeddings', asking());
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'UPSTREAM_UNSUPPORTED',
      detail: expect.stringContaining("this server's is anthropic"),
    });
    expect(received).toEqual([]);
  });
});
