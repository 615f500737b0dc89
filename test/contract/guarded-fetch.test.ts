import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardedFetch, type GuardedFetchOptions } from '../../adapters/node/guarded-fetch.ts';
import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { GUARDED_FETCH_LIMITS, type GuardedRequest } from '../../src/ports/guarded-fetch.ts';

// Real sockets on loopback, which is opened by the option that operators have; what it refuses without that is proved too.

const LOOPBACK = [parseAddressRange('127.0.0.1')!];
const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

const listening = async (server: SocketServer, host = '127.0.0.1', port = 0): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(port, host, done));
  toClose.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return (server.address() as AddressInfo).port;
};

const serve = async (handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> =>
  `http://127.0.0.1:${await listening(createServer(handle))}`;

const fetchWith = (options: GuardedFetchOptions, request: Partial<GuardedRequest> & { readonly url: string }) => {
  const guarded = createGuardedFetch(options);
  toClose.push(guarded.close);
  return guarded.fetch({ maxBytes: 100_000, timeoutMs: 20_000, ...request });
};
const get = (url: string, request: Partial<GuardedRequest> = {}) =>
  fetchWith({ allowed: LOOPBACK }, { url, ...request });
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('a guarded fetch', () => {
  it('gives status, headers and the whole body', async () => {
    const base = await serve((request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain', 'x-asked': request.url ?? '' }).end('not here');
    });
    const answer = await get(`${base}/page?x=1`);
    expect(answer).toMatchObject({ ok: true, status: 404, url: `${base}/page?x=1`, redirects: [] });
    if (!answer.ok) return;
    expect(answer.headers.get('x-asked')).toBe('/page?x=1');
    expect(text(answer.body)).toBe('not here');
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', Buffer.from],
  ])('takes off %s', async (encoding, encode) => {
    const base = await serve((_, response) => {
      response
        .writeHead(200, { 'content-encoding': encoding })
        .end((encode as (data: Buffer) => Buffer)(Buffer.from('页面 text')));
    });
    const answer = await get(base);
    expect(answer.ok && text(answer.body)).toBe('页面 text');
  });

  it('gives a body that shares its memory with nothing', async () => {
    const base = await serve((_, response) => response.end('small'));
    const answer = await get(base);
    expect(answer.ok && [answer.body.constructor.name, answer.body.buffer.byteLength]).toEqual(['Uint8Array', 5]);
  });

  it('sends a method and a body', async () => {
    const base = await serve((request, response) => {
      let received = '';
      request.on('data', (chunk: Buffer) => (received += chunk.toString()));
      request.on('end', () => response.end(`${request.method} ${received}`));
    });
    const answer = await get(base, { method: 'PATCH', body: new TextEncoder().encode('{"a":1}') });
    expect(answer.ok && text(answer.body)).toBe('PATCH {"a":1}');
  });

  it('takes the headers of a HEAD for what they are', async () => {
    const base = await serve((_, response) =>
      response.writeHead(200, { 'content-length': 1_000_000, 'content-encoding': 'gzip' }).end(),
    );
    const answer = await get(base, { method: 'HEAD' });
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(answer.ok && answer.headers.get('content-length')).toBe('1000000');
  });

  it('asks for one connection per origin with the headers that it was given', async () => {
    const base = await serve((request, response) => response.end(request.headers['accept-language']));
    const answer = await get(base, { headers: { 'accept-language': 'zh' } });
    expect(answer.ok && text(answer.body)).toBe('zh');
  });
});

describe('an address that is not open', () => {
  it.each(['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]'])(
    'is refused when it is written as %s, and nothing connects',
    async (host) => {
      let connections = 0;
      const server = createServer((_, response) => response.end());
      server.on('connection', () => (connections += 1));
      const port = await listening(server);
      expect(await fetchWith({}, { url: `http://${host}:${port}/` })).toMatchObject({
        ok: false,
        code: 'BLOCKED_ADDRESS',
        retryable: false,
      });
      expect(connections).toBe(0);
    },
  );

  it('is refused behind a name', async () => {
    const base = await serve((_, response) => response.end());
    const { port } = new URL(base);
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const answer = await fetchWith({ resolve }, { url: `http://intranet.example:${port}/` });
    expect(answer).toMatchObject({ ok: false, code: 'BLOCKED_ADDRESS' });
    expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
    expect(asked).toEqual(['intranet.example']);
  });

  it('is refused behind the real name localhost', async () => {
    const { port } = new URL(await serve((_, response) => response.end()));
    expect(await fetchWith({}, { url: `http://localhost:${port}/` })).toMatchObject({
      ok: false,
      code: 'BLOCKED_ADDRESS',
    });
  });

  it('refuses a name that has an open address as well', async () => {
    const { port } = new URL(await serve((_, response) => response.end()));
    const resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    expect(await fetchWith({ resolve, allowed: LOOPBACK }, { url: `http://two.example:${port}/` })).toMatchObject({
      code: 'BLOCKED_ADDRESS',
    });
  });

  it('is refused when a redirect leads to it', async () => {
    const inner = createServer((_, response) => response.end('secret'));
    const innerPort = await listening(inner, '127.0.0.2');
    for (const target of [
      `http://127.0.0.2:${innerPort}/`,
      `http://0x7f.2:${innerPort}/`,
      'http://169.254.169.254/',
      'file:///etc/passwd',
    ]) {
      const base = await serve((_, response) => response.writeHead(302, { location: target }).end());
      const answer = await get(base);
      expect(answer).toMatchObject({ ok: false, code: target.startsWith('file') ? 'BLOCKED_URL' : 'BLOCKED_ADDRESS' });
    }
  });

  it('is refused when a name changes its answer between two connections', async () => {
    const inner = createServer((_, response) => response.end('secret'));
    const port = await listening(inner, '127.0.0.1');
    // The outer server is open and on another address with the same port; the name moves once it was looked up.
    const outer = createServer((_, response) =>
      response.writeHead(302, { location: `http://moving.example:${port}/again`, connection: 'close' }).end(),
    );
    await listening(outer, '127.0.0.3', port);
    const answers = ['127.0.0.3', '127.0.0.1', '127.0.0.1'];
    const resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }];
    const answer = await fetchWith(
      { resolve, allowed: [parseAddressRange('127.0.0.3')!] },
      { url: `http://moving.example:${port}/` },
    );
    expect(answer).toMatchObject({ ok: false, code: 'BLOCKED_ADDRESS' });
  });

  it('is looked up once for a connection, which goes to the address that was checked', async () => {
    const { port } = new URL(await serve((_, response) => response.end('checked')));
    const answers = ['127.0.0.1'];
    const resolve = async () => [{ address: answers.shift() ?? '127.0.0.9', family: 4 }];
    const answer = await fetchWith({ resolve, allowed: LOOPBACK }, { url: `http://once.example:${port}/` });
    expect(answer.ok && text(answer.body)).toBe('checked');
    expect(answers).toEqual([]);
  });
});

describe('a redirect', () => {
  it('asks anew before each request, with the body that it sends', async () => {
    const received: number[] = [];
    const base = await serve((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
      request.on('end', () => {
        received.push(bytes);
        const next = { '/a': [307, '/b'], '/b': [303, '/c'], '/c': [302, '/d'] }[request.url ?? ''];
        if (next === undefined) response.end('the end');
        else response.writeHead(next[0] as number, { location: next[1] as string }).end();
      });
    });
    const post = { method: 'POST', body: new Uint8Array(1_000) };
    const asked: number[] = [];
    const beforeSend = (bodyBytes: number) => {
      asked.push(bodyBytes);
      return { maxBytes: 7 };
    };
    expect(await get(`${base}/a`, { ...post, beforeSend })).toMatchObject({ ok: true, url: `${base}/d` });
    expect(asked).toEqual([1_000, 1_000, 0, 0]);
    expect(received).toEqual([1_000, 1_000, 0, 0]);
    expect(
      await get(`${base}/a`, { ...post, beforeSend: (bytes) => ({ maxBytes: bytes === 0 ? 6 : 100 }) }),
    ).toMatchObject({ ok: false, code: 'TOO_LARGE' });
    received.length = 0;
    const once = [{ maxBytes: 100 }, { refusal: 'one is enough' }];
    expect(await get(`${base}/a`, { ...post, beforeSend: () => once.shift()! })).toMatchObject({
      ok: false,
      code: 'LIMIT_REACHED',
      message: 'one is enough',
    });
    expect(received).toEqual([1_000]);
  });

  it('is followed, relative ones too, and named', async () => {
    const base = await serve((request, response) => {
      if (request.url === '/a') response.writeHead(301, { location: 'b' }).end();
      else if (request.url === '/b') response.writeHead(307, { location: '/c?d' }).end();
      else response.end(request.url);
    });
    const answer = await get(`${base}/a`);
    expect(answer).toMatchObject({ ok: true, url: `${base}/c?d`, redirects: [`${base}/a`, `${base}/b`] });
  });

  it('that leads in a circle ends', async () => {
    let asked = 0;
    const base = await serve((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/' }).end();
    });
    expect(await get(base)).toMatchObject({ ok: false, code: 'TOO_MANY_REDIRECTS' });
    expect(asked).toBe(6);
  });

  it('takes credentials to the same origin only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers.cookie, request.headers['accept-language']);
      response.end();
    });
    const base = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: request.url === '/' ? '/second' : `${other}/` }).end();
    });
    await get(`${base}/`, { headers: { Authorization: 'Bearer x', cookie: 'a=b', 'accept-language': 'de' } });
    expect(seen).toEqual(['Bearer x', 'Bearer x', undefined, undefined, 'de']);
  });

  it('takes keys of an API, under whatever name, to the same origin only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers['x-api-key'] as string, request.headers['x-auth-token'] as string);
      response.end();
    });
    const base = await serve((_, response) => response.writeHead(307, { location: `${other}/` }).end());
    expect((await get(base, { headers: { 'X-Api-Key': 'k', 'X-Auth-Token': 't' } })).ok).toBe(true);
    expect(seen).toEqual([undefined, undefined]);
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [302, 'PUT', 'PUT', 'sent'],
    [307, 'POST', 'POST', 'sent'],
    [308, 'DELETE', 'DELETE', 'sent'],
  ])('by %i makes of a %s a %s', async (status, method, after, body) => {
    let seen: unknown[] = [];
    const base = await serve((request, response) => {
      if (request.url === '/') {
        request.resume().on('end', () => response.writeHead(status, { location: '/next' }).end());
        return;
      }
      let received = '';
      request.on('data', (chunk: Buffer) => (received += chunk.toString()));
      request.on('end', () => {
        seen = [request.method, received, request.headers['content-type'] ?? ''];
        response.end('done');
      });
    });
    const sent = method === 'HEAD' ? {} : { body: new TextEncoder().encode('sent') };
    const answer = await get(`${base}/`, { method, headers: { 'content-type': 'text/x' }, ...sent });
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(seen).toEqual([after, body, after === 'GET' ? '' : 'text/x']);
  });

  it('is put before its caller, with the method that it would have', async () => {
    let reached = 0;
    const base = await serve((request, response) => {
      reached += 1;
      response.writeHead(302, { location: '/forbidden' }).end();
      request.resume();
    });
    const asked: string[] = [];
    const refusalOf = (url: URL, method: string) => {
      asked.push(`${method} ${url.pathname}`);
      return url.pathname === '/forbidden' ? 'not there' : null;
    };
    expect(await get(`${base}/`, { method: 'POST', refusalOf })).toEqual({
      ok: false,
      code: 'NOT_ALLOWED',
      message: 'not there',
      retryable: false,
    });
    expect(asked).toEqual(['POST /', 'GET /forbidden']);
    expect(reached).toBe(1);
  });

  it('without an address is an answer like any other', async () => {
    const base = await serve((_, response) => response.writeHead(302).end('nowhere'));
    expect(await get(base)).toMatchObject({ ok: true, status: 302 });
  });
});

describe('a bound of a guarded fetch', () => {
  it('refuses a body that says that it is too large, unread', async () => {
    const base = await serve((_, response) => response.writeHead(200, { 'content-length': 1_000_000 }).write('x'));
    expect(await get(base)).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('ends a body that never ends', async () => {
    const base = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(await get(base)).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('stops a small file in %s that unpacks to a large one', async (encoding, encode) => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.byteLength).toBeLessThan(100_000);
    const base = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb));
    expect(await get(base)).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('stops compressed data that never becomes a byte', async () => {
    const empty = gzipSync('');
    const base = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const timer = setInterval(() => response.write(Buffer.concat(Array.from({ length: 500 }, () => empty))), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(await get(base)).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('ends a server that answers nothing, one byte at a time, or half', async () => {
    const silent = await serve(() => undefined);
    expect(await get(silent, { timeoutMs: 300 })).toMatchObject({ ok: false, code: 'TIMEOUT', retryable: true });
    const slow = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await get(slow, { timeoutMs: 300 })).toMatchObject({ ok: false, code: 'TIMEOUT', retryable: true });
    const slowHeaders = createSocketServer((socket) => {
      socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const port = await listening(slowHeaders);
    expect(await get(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })).toMatchObject({ ok: false, code: 'TIMEOUT' });
  });

  it('has its own time for headers', async () => {
    const silent = await serve(() => undefined);
    const limits = { ...GUARDED_FETCH_LIMITS, headersMs: 200 };
    expect(await fetchWith({ allowed: LOOPBACK, limits }, { url: silent })).toMatchObject({ code: 'TIMEOUT' });
  });

  it('ends when its caller gives up', async () => {
    const silent = await serve(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await get(silent, { signal: controller.signal })).toMatchObject({ ok: false, code: 'CANCELLED' });
  });

  it('refuses huge headers', async () => {
    const base = await serve((_, response) => {
      for (let index = 0; index < 60; index += 1) response.setHeader(`x-${index}`, 'y'.repeat(1_000));
      response.end('x');
    });
    expect(await get(base)).toMatchObject({ ok: false, code: 'INVALID_RESPONSE' });
  });
});

describe('an answer that is none', () => {
  const raw = async (answer: string) => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer));
    });
    return await get(`http://127.0.0.1:${await listening(server)}/`);
  };

  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n', 'INVALID_RESPONSE'],
    ['nothing', '', 'CONNECTION_FAILED'],
    ['fewer bytes than it said', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort', 'CONNECTION_FAILED'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'INVALID_RESPONSE'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'INVALID_RESPONSE'],
    ['an encoding nobody knows', 'HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\n\r\nabc', 'INVALID_RESPONSE'],
    ['gzip that is none', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc', 'INVALID_RESPONSE'],
    [
      'brotli that is none',
      'HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u0000\u0000\u0000\u0000abc',
      'INVALID_RESPONSE',
    ],
    ['an encoding in an encoding', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\nabc', 'INVALID_RESPONSE'],
  ])('is a typed failure: %s', async (_, answer, code) => {
    expect(await raw(answer)).toMatchObject({ ok: false, code });
  });

  it('is a typed failure when nobody listens, or there is no such host', async () => {
    const { port } = new URL(await serve((_, response) => response.end()));
    await toClose.pop()?.();
    expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({
      ok: false,
      code: 'CONNECTION_FAILED',
      retryable: true,
    });
    const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await fetchWith({ resolve }, { url: 'http://nowhere.example/' })).toMatchObject({
      ok: false,
      code: 'UNKNOWN_HOST',
      message: 'there is no host nowhere.example',
    });
  });

  it('repeats no secret of the URL', async () => {
    const { port } = new URL(await serve((_, response) => response.end()));
    await toClose.pop()?.();
    for (const url of [
      `http://127.0.0.1:${port}/a?token=geheim`,
      'https://u:geheim@example.com/',
      'ftp://u:geheim@example.com/',
    ])
      expect(JSON.stringify(await get(url))).not.toContain('geheim');
  });
});

describe('a body that is passed on', () => {
  const sizes = async (base: string, request: Partial<GuardedRequest> = {}) => {
    const chunks: number[] = [];
    const answer = await get(base, {
      ...request,
      receive: async (body) => {
        for await (const chunk of body) chunks.push(chunk.length);
      },
    });
    return { answer, chunks, bytes: chunks.reduce((sum, size) => sum + size, 0) };
  };

  it('comes in pieces, decompressed, and is not kept', async () => {
    const base = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000, 'a'))),
    );
    const { answer, chunks, bytes } = await sizes(base, { maxBytes: 1_000_000 });
    expect(answer).toMatchObject({ ok: true, status: 200, body: new Uint8Array() });
    expect(bytes).toBe(1_000_000);
    expect(chunks.length).toBeGreaterThan(1);
  });

  it('is bounded as it unpacks, whatever its headers say', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const base = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb),
    );
    const { answer, bytes } = await sizes(base);
    expect(answer).toMatchObject({ ok: false, code: 'TOO_LARGE' });
    expect(bytes).toBeLessThanOrEqual(100_000);
  });

  it('is not passed on when the answer is another than 200', async () => {
    const base = await serve((_, response) => response.writeHead(404).end('not here'));
    const { answer, chunks } = await sizes(base);
    expect(answer.ok && text(answer.body)).toBe('not here');
    expect(chunks).toEqual([]);
  });

  it('is a failure when it breaks off, or when nobody takes it to its end', async () => {
    const base = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('abc');
      setTimeout(() => response.destroy(), 50);
    });
    expect((await sizes(base)).answer).toMatchObject({ ok: false, code: 'CONNECTION_FAILED' });
    const slow = await serve((_, response) => response.writeHead(200).write('abc'));
    expect((await sizes(slow, { timeoutMs: 200 })).answer).toMatchObject({ ok: false, code: 'TIMEOUT' });
  });
});
