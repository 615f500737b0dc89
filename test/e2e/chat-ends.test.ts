// How a conversation ends that does not come to its end: with the server, and with a client that reads no more.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/processes.ts';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

/** An upstream that says something and then nothing more, or goes on for ever. */
const createUpstream = async (speak: (response: ServerResponse) => void) => {
  let asked = 0;
  let left = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.on('close', () => (left += 1));
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      speak(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    left: () => left,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const goOnForEver = (response: ServerResponse): void => {
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(chunk('and so on '.repeat(500)))) setImmediate(more);
    else response.once('drain', more);
  };
  more();
};

let home: ReturnType<typeof temporaryHome>;
let upstream: Awaited<ReturnType<typeof createUpstream>>;
let server: ServerProcess;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(async () => {
  server.kill('SIGTERM');
  await server.exit;
  upstream.close();
  home.remove();
});

const question = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Go on.' }] });

describe('a server that stops', { timeout: 60_000 }, () => {
  it.each([
    ['while the model speaks', [chunk('One.')], 'One.'],
    [
      'while a tool works',
      [
        chunk('One.\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」Sleeps「末」\n<<<[END_TOOL_REQUEST]>>>'),
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ],
      'One.',
    ],
  ])('ends a conversation with an error and [DONE] %s', async (_when, said, seen) => {
    writePlugin(home.plugins, { name: 'Sleeps', command: './run.sh', args: ['sleep 600'] });
    upstream = await createUpstream((response) => {
      for (const text of said) response.write(text);
      if (said.length > 1) response.end();
    });
    server = await startServerProcess(home, { VCP_UPSTREAM_URL: upstream.url, VCP_SHUTDOWN_MS: '500' });
    const response = await server.request('/v1/chat/completions', { method: 'POST', body: question });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    server.kill('SIGTERM');
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    const events = text.trim().split('\n\n');
    expect(text).toContain(seen);
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(events.at(-2)).toContain('"code":"SHUTTING_DOWN"');
    expect((await server.exit).code).toBe(0);
    expect(upstream.asked()).toBe(1);
    expect(server.stderr()).toMatch(/chat\.finished.*shut-down|shut-down.*chat\.finished/);
  });
});

describe('a client that reads no more', { timeout: 60_000 }, () => {
  it('is cut off, and the model with it', async () => {
    upstream = await createUpstream(goOnForEver);
    server = await startServerProcess(home, { VCP_UPSTREAM_URL: upstream.url, VCP_LIMIT_DOWNLOAD_STALL_MS: '500' });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${question.length}\r\n\r\n${question}`,
    );
    await until('the model is let go of', async () => upstream.left() === 1);
    await until('it is in the log', () => server.stderr().includes('http.download-stalled'));
    await until('the conversation is too', () => /"outcome":"left"/.test(server.stderr()));
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
  });

  it('by leaving ends the request to the model', async () => {
    upstream = await createUpstream((response) => void response.write(chunk('One.')));
    server = await startServerProcess(home, { VCP_UPSTREAM_URL: upstream.url });
    const leaving = new AbortController();
    const response = await server.request('/v1/chat/completions', {
      method: 'POST',
      body: question,
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    await until('the model is let go of', async () => upstream.left() === 1);
  });

  it('likewise before there is a word to read', async () => {
    upstream = await createUpstream((response) => response.flushHeaders());
    server = await startServerProcess(home, { VCP_UPSTREAM_URL: upstream.url });
    const leaving = new AbortController();
    for (const stream of [true, false]) {
      const body = JSON.stringify({ ...(JSON.parse(question) as object), stream });
      const asking = server.request('/v1/chat/completions', { method: 'POST', body, signal: leaving.signal });
      asking.catch(() => undefined);
    }
    await until('the model is asked twice', async () => upstream.asked() === 2);
    leaving.abort();
    await until('the model is let go of', async () => upstream.left() === 2);
    expect(server.stderr()).not.toContain('http.fault');
  });
});
