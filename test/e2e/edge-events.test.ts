// What the Durable Object of a worker must do that no process has to: sleep, and go on where it was.
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { repositoryRoot } from '../support/manifest.ts';
import { until } from '../support/processes.ts';
import { temporaryHome, vcp } from '../support/server-process.ts';
import { openSocketClient, refusedSocket, type SocketClient } from '../support/socket-client.ts';
import { startWorker, type RunningWorker } from '../support/workerd/start-worker.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const home = temporaryHome();
const out = join(home.root, 'edge');
const stores = join(home.root, 'stores');
const API_KEY = 'a-key-for-the-worker';
const BRIEF_KEY = 'a-key-that-expires-while-it-is-connected';
const ECHO = 'test/conformance/plugins/PayloadEcho';
/** Milliseconds after which workerd takes an object out of memory that nobody has asked for. */
const ASLEEP_MS = 12_000;

const variables = (more: Record<string, string> = {}) => ({
  VCP_API_KEY: API_KEY,
  VCP_SIGNING_KEY: 'a-signing-key-of-the-worker-for-tests',
  VCP_LOG_LEVEL: 'debug',
  ...more,
});

let worker: RunningWorker;

beforeAll(async () => {
  mkdirSync(home.plugins, { recursive: true });
  cpSync(join(repositoryRoot, ECHO), join(home.plugins, 'PayloadEcho'), { recursive: true });
  const module = readFileSync(join(repositoryRoot, ECHO, 'payload-echo.mjs'));
  const build = await vcp(home, ['edge', 'build', '--plugins', home.plugins, '--out', out, '--json'], {
    VCP_TRUSTED_MODULES: hash('sha256', module),
  });
  expect(build.code, build.stderr).toBe(0);
  worker = await startWorker(out, variables(), stores);
});

afterAll(async () => {
  await worker?.close();
  home.remove();
});

const connect = async (query = '', key = API_KEY): Promise<SocketClient> =>
  await openSocketClient(socketUrl(`/v1/ws${query}`), { authorization: `Bearer ${key}` });
const socketUrl = (path: string) => new URL(path, worker.url.replace('http', 'ws')).href;
const call = async (): Promise<CanonicalToolResult> => {
  const response = await worker.fetch('/v1/human/tool', {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      tool: 'PayloadEcho',
      arguments: { command: 'Answer', payload: { status: 'success', data: 1 } },
    }),
  });
  return (await response.json()) as CanonicalToolResult;
};
const resultOf = (client: SocketClient, { id }: CanonicalToolResult) =>
  client.next((message) => message['type'] === 'result' && message['resultId'] === id);
const connections = () => worker.logged.filter((line) => line.includes('push.connected')).length;
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('an object that sleeps', () => {
  it('keeps its connections, what they want, and the events, and misses none', async () => {
    const all = await connect();
    const some = await connect('?types=task');
    const silent = await connect();
    silent.send({ type: 'unsubscribe' });
    await silent.next(({ type }) => type === 'unsubscribed');
    some.send({ type: 'subscribe', tools: ['PayloadEcho'], types: ['result'], clientType: 'panel', ref: 'mine' });
    await some.next(({ ref }) => ref === 'mine');
    const before = await resultOf(all, await call());
    const known = connections();

    await sleep(ASLEEP_MS);
    const result = await call();
    const after = await resultOf(all, result);
    await resultOf(some, result);
    // Taken up again, by an object that had forgotten them.
    expect(connections()).toBe(known + 3);
    expect(String(after['id']) > String(before['id'])).toBe(true);
    for (const client of [all, some, silent]) expect(client.of('subscribed').length).toBeLessThanOrEqual(2);
    expect(silent.of('result')).toEqual([]);

    const late = await connect(`?lastEventId=${String(before['id'])}&types=result`);
    await resultOf(late, result);
    expect(late.of('result')).toHaveLength(1);
    expect(late.of('gap')).toEqual([]);
    some.send({ type: 'ping', ref: 'awake' });
    await some.next(({ type, ref }) => type === 'pong' && ref === 'awake');
    for (const client of [all, some, silent, late]) client.socket.terminate();
  });

  it('opens a connection with a ticket from before', async () => {
    const response = await worker.fetch('/v1/tickets', {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const { ticket } = (await response.json()) as { ticket: string };
    await sleep(ASLEEP_MS);
    const client = await openSocketClient(socketUrl(`/v1/ws?ticket=${ticket}`), {});
    await resultOf(client, await call());
    client.socket.terminate();
    expect(await refusedSocket(socketUrl(`/v1/ws?ticket=${ticket}`), {})).toBe(401);
  });

  it('has its events after a new deployment', async () => {
    const first = await connect();
    const seen = await resultOf(first, await call());
    const missed = await call();
    await resultOf(first, missed);
    await worker.close();
    worker = await startWorker(out, variables(), stores);
    const again = await connect(`?lastEventId=${String(seen['id'])}&types=result`);
    await resultOf(again, missed);
    expect(again.of('gap')).toEqual([]);
    again.socket.terminate();
  });
});

describe('a connection to an object', () => {
  const restart = async (more: Record<string, string>) => {
    await worker.close();
    worker = await startWorker(out, variables(more));
  };

  it('is closed for a message that is too long, and told of one that is not text', async () => {
    const client = await connect();
    client.socket.send(Buffer.from('{}'));
    expect(await client.next(({ type }) => type === 'error')).toMatchObject({
      message: 'messages are JSON as text, not binary',
    });
    client.send(JSON.stringify({ type: 'ping', ref: 'x'.repeat(20_000) }));
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('gets signs of life, and ends with its key', async () => {
    const keys = {
      version: 1,
      defaultKey: true,
      keys: [
        {
          id: 'key_brief',
          name: 'brief',
          sha256: hash('sha256', BRIEF_KEY),
          roles: ['human'],
          tools: null,
          rateLimit: null,
          toolRateLimits: {},
          createdAt: '2026-11-30T00:00:00Z',
          expiresAt: new Date(Date.now() + 4_000).toISOString(),
        },
      ],
    };
    await restart({ VCP_API_KEYS: JSON.stringify(keys), VCP_LIMIT_PUSH_HEARTBEAT_MS: '1000' });
    const brief = await connect('', BRIEF_KEY);
    // The local runtime lets a connection linger whose client has never said a word.
    brief.send({ type: 'ping' });
    const own = await connect();
    await brief.next(({ type }) => type === 'heartbeat');
    expect(await brief.closed).toEqual({ code: 4001, reason: 'the key is not valid any more' });
    await own.next(({ type }) => type === 'heartbeat');
    await resultOf(own, await call());
    own.socket.terminate();
  });

  it('is refused when there are as many as there may be, and taken when one has gone', async () => {
    await restart({ VCP_LIMIT_PUSH_CLIENTS_PER_KEY: '2' });
    const first = await connect();
    await connect();
    expect(await refusedSocket(socketUrl('/v1/ws'), { authorization: `Bearer ${API_KEY}` })).toBe(503);
    first.socket.close(1000);
    expect(await first.closed).toMatchObject({ code: 1000 });
    await resultOf(await connect(), await call());
  });

  it('makes room when the client of a stream has gone', async () => {
    // A stream whose client has gone is noticed at the next sign of life.
    await restart({ VCP_LIMIT_PUSH_CLIENTS_PER_KEY: '1', VCP_LIMIT_PUSH_HEARTBEAT_MS: '1000' });
    const stream = async () => {
      const leaving = new AbortController();
      const response = await worker.fetch('/v1/events?types=result', {
        headers: { authorization: `Bearer ${API_KEY}` },
        signal: leaving.signal,
      });
      return { response, leave: () => leaving.abort() };
    };
    const first = await stream();
    expect(first.response.status).toBe(200);
    await call();
    const second = await stream();
    expect(second.response.status).toBe(503);
    first.leave();
    await expect
      .poll(
        async () => {
          const next = await stream();
          next.leave();
          return next.response.status;
        },
        { timeout: 10_000 },
      )
      .toBe(200);
  });

  it('is told where events are missing, when more came than are kept', async () => {
    await restart({ VCP_LIMIT_KEPT_EVENTS: '3' });
    const client = await connect('?types=result');
    const seen = await resultOf(client, await call());
    for (let count = 0; count < 4; count += 1) await resultOf(client, await call());
    const late = await connect(`?lastEventId=${String(seen['id'])}&types=result`);
    await late.next(({ type }) => type === 'gap');
    await until('all three are there', () => late.of('result').length === 3);
  });
});
