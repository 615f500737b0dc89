// Clients that break HTTP, or break off. The server answers the next one.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  startServerProcess,
  temporaryHome,
  writePlugin,
  ECHO_MODULE,
  type ServerProcess,
} from '../support/server-process.ts';
import { processesLeft, processesWith, until } from '../support/processes.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const { sha256 } = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
  writePlugin(home.plugins, { name: 'Sleeps', command: './run.sh', args: ['sleep 600 & sleep 600'] });
  server = await startServerProcess(home, {
    VCP_TRUSTED_MODULES: sha256!,
    VCP_LIMIT_REQUEST_BODY_BYTES: '100000',
    VCP_LOG_LEVEL: 'warning',
  });
});
afterEach(async () => {
  expect(await server.call('Echo', { still: 'works' })).toMatchObject({ status: 'success', data: { still: 'works' } });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const open = async (): Promise<Socket> => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};
/** What the server says to these bytes before it, or we after a while, hang up. */
const exchange = async (bytes: string | Buffer): Promise<string> => {
  const socket = await open();
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => (answer += text as string));
  socket.write(bytes);
  await Promise.race([
    new Promise((closed) => socket.once('close', closed)),
    until('an answer', () => answer.includes('\r\n\r\n'), 3_000).catch(() => undefined),
  ]);
  socket.destroy();
  return answer;
};
const head = (more: string) =>
  `POST /v1/human/tool HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n${more}`;

describe('a request over the limit', () => {
  const large = JSON.stringify({ tool: 'Echo', arguments: { text: 'x'.repeat(200_000) } });

  it('is refused by its length', async () => {
    const response = await server.request('/v1/human/tool', { method: 'POST', body: large });
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 413, code: 'CONTENT_TOO_LARGE' });
  });

  it('is refused also when it does not tell its length', async () => {
    const body = () =>
      new ReadableStream({
        start(controller) {
          for (let chunk = 0; chunk < 40; chunk += 1) controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
          controller.close();
        },
      });
    const send = () =>
      server
        .request('/v1/human/tool', { method: 'POST', body: body(), duplex: 'half' } as RequestInit)
        .catch(() => null);
    // A client that still sends when the connection is closed on it may lose the answer that was on its way.
    let response = await send();
    for (let attempt = 1; response === null && attempt < 5; attempt += 1) response = await send();
    expect(response?.status).toBe(413);
  });

  it('is refused when it lies about its length', async () => {
    expect(await exchange(`${head('Content-Length: 99999999')}\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413/);
  });

  it('is taken just below it', async () => {
    const text = 'x'.repeat(99_000);
    expect(await server.call('Echo', { text })).toMatchObject({ status: 'success', data: { text } });
  });
});

describe('a body that is no JSON', () => {
  it.each([
    ['nothing', '', 400],
    ['half of it', '{"tool":"Echo"', 400],
    ['an array', '[]', 400],
    ['a null', 'null', 400],
    ['a key named __proto__', '{"tool":"Echo","arguments":{"__proto__":{"a":1}}}', 400],
    ['deep nesting', `{"tool":"Echo","arguments":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`, 400],
    ['a lone surrogate', '{"tool":"Echo","arguments":{"a":"\\ud800"}}', 400],
    ['an unknown field', '{"tool":"Echo","surprise":1}', 400],
    ['a tool that is a number', '{"tool":1}', 400],
  ])('is refused with a reason: %s', async (_what, body, status) => {
    const response = await server.request('/v1/human/tool', { method: 'POST', body });
    expect(response.status).toBe(status);
    const problem = (await response.json()) as { detail: string; code: string };
    expect(problem.code).toBe('INVALID_REQUEST');
    expect(problem.detail.length).toBeGreaterThan(10);
  });

  it('is refused when it is of another type', async () => {
    const response = await server.request('/v1/human/tool', {
      method: 'POST',
      body: '<call/>',
      headers: { 'content-type': 'application/xml' },
    });
    expect(response.status).toBe(415);
  });
});

describe('broken HTTP', () => {
  it.each([
    ['a chunk size that is none', () => `${head('Transfer-Encoding: chunked')}\r\n\r\nZZZ\r\n{}\r\n0\r\n\r\n`],
    ['a chunk shorter than it says', () => `${head('Transfer-Encoding: chunked')}\r\n\r\n5\r\n{}\r\n0\r\n\r\n`],
    ['both a length and chunks', () => `${head('Transfer-Encoding: chunked\r\nContent-Length: 4')}\r\n\r\n0\r\n\r\n`],
    ['two lengths', () => `${head('Content-Length: 2\r\nContent-Length: 3')}\r\n\r\n{}x`],
    ['a negative length', () => `${head('Content-Length: -1')}\r\n\r\n{}`],
    ['a method that is none', () => 'B@D / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['TLS on a plain port', () => Buffer.from('160301020001000001fc0303', 'hex')],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['100 kB of headers', () => `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X-Long: y\r\n'.repeat(10_000)}\r\n`],
    ['a NUL in the path', () => 'GET /v1/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('gets a 4xx or a closed connection: %s', async (_what, bytes) => {
    expect(await exchange(bytes())).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  });

  it('is not the path, however it is written', async () => {
    for (const path of [
      '/v1/../v1/tools',
      '//v1/tools',
      '/v1/tools/%',
      '/v1/tools/%ff',
      '/v1/results/%00',
      `/v1/tools/${'a'.repeat(8_000)}`,
    ]) {
      const answer = await exchange(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 (2|4)\d\d /);
    }
  });
});

describe('connections that break off', () => {
  it('before, in and after a request do not hurt', async () => {
    const beginnings = [
      '',
      'POST',
      head(''),
      `${head('Content-Length: 50')}\r\n\r\n{"tool":`,
      `${head('Transfer-Encoding: chunked')}\r\n\r\n5\r\n{"`,
    ];
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open()));
    sockets.forEach((socket, index) => socket.write(beginnings[index % beginnings.length]!));
    await sleep(50);
    sockets.forEach((socket, index) => (index % 2 === 0 ? socket.resetAndDestroy() : socket.end()));
    for (const socket of sockets) socket.destroy();
  });

  it('are left open half-way while others are served', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (const socket of sockets) socket.write(`${head('Content-Length: 50')}\r\n\r\n{"tool":`);
    expect(await server.call('Echo', { n: 1 })).toMatchObject({ status: 'success' });
    for (const socket of sockets) socket.destroy();
  });

  it('end the call that they were made for: its processes go, its record says so', async () => {
    const controller = new AbortController();
    const call = server.call('Sleeps', {}, {}, controller.signal).catch(() => 'gone');
    await until('the plugin runs', () => processesWith(`${home.data}/plugins/Sleeps`).length >= 3);
    controller.abort();
    expect(await call).toBe('gone');
    expect(await processesLeft(`${home.data}/plugins/Sleeps`)).toEqual([]);
    const records = async () =>
      (
        (await (await server.request('/v1/records?tool=Sleeps')).json()) as {
          records: { status: string; errorCode: string }[];
        }
      ).records;
    await until('the call is on record', async () => (await records()).length === 1);
    expect((await records())[0]).toMatchObject({ status: 'cancelled', errorCode: 'TOOL_CANCELLED' });
  });

  it('cost no connection: 300 of them, and the server still has its descriptors', async () => {
    for (let round = 0; round < 6; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => open()));
      for (const socket of sockets) socket.resetAndDestroy();
    }
    expect(server.stderr()).not.toContain('EMFILE');
  });
});

it('logged no fault of its own in all this', () => {
  expect(
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('http.fault') || line.includes('"level":"ERROR"')),
  ).toEqual([]);
});
