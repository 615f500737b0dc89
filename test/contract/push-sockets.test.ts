// `/v1/ws` on real sockets: who is let in, what a client may say, and what becomes of clients that do not keep up.
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PushNotice } from '../../src/protocol/push.ts';
import { VcpEvent } from '../../src/protocol/event.ts';
import type { Identity } from '../../src/ports/authenticator.ts';
import { everyone, message, ofAlice } from '../support/event-hub.ts';
import { startPushServer, type PushServer } from '../support/push-server.ts';

let server: PushServer;
afterEach(() => server.close());

const emit = (number: number, address: Parameters<PushServer['hub']['emit']>[1] = everyone, padding = '') =>
  server.hub.emit(message({ number, padding }), address);
const numbersOf = (received: readonly object[]): number[] =>
  received
    .filter((event) => 'data' in event)
    .map((event) => (event as { data: { message: { number: number } } }).data.message.number);
const numbered = (number: number) => (event: object) => numbersOf([event])[0] === number;

describe('who is let in', () => {
  it('is refused before the upgrade without a key, with a wrong one, and where there is no such thing', async () => {
    server = await startPushServer();
    const key = { authorization: 'Bearer key-of-alice' };
    expect(await server.refused('/v1/ws')).toBe(401);
    expect(await server.refused('/v1/ws', { authorization: 'Bearer key-of-nobody' })).toBe(401);
    expect(await server.refused('/v1/ws?ticket=vcpt_made-up')).toBe(401);
    expect(await server.refused('/v1/ws?types=nothing', key)).toBe(400);
    expect(await server.refused('/v1/ws?lastEventId=5', key)).toBe(400);
    expect(await server.refused('/v1/tools', key)).toBe(200);
  });

  it('waits after many wrong keys and tickets from one address', async () => {
    server = await startPushServer({ limits: { freeWrongKeys: 2 } });
    expect(await server.refused('/v1/ws', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await server.refused('/v1/ws?ticket=wrong')).toBe(401);
    expect(await server.refused('/v1/ws?ticket=wrong')).toBe(429);
  });

  it('is counted against the rate of the key', async () => {
    server = await startPushServer();
    const key = { authorization: 'Bearer key-of-slow' };
    for (const path of ['/v1/ws?types=x', '/v1/ws?types=x', '/v1/ws?types=x'])
      expect(await server.refused(path, key)).toBe(400);
    expect(await server.refused('/v1/ws', key)).toBe(429);
  });

  it('is let in by a ticket, once, as the key that asked for it', async () => {
    server = await startPushServer();
    const ticket = await server.ticket('bob');
    const client = await server.connect(`?ticket=${ticket}`, null);
    emit(1, ofAlice);
    emit(2, { audience: { to: 'owner', owner: 'bob' } });
    await client.next(numbered(2));
    expect(numbersOf(client.received)).toEqual([2]);
    expect(await server.refused(`/v1/ws?ticket=${ticket}`)).toBe(401);
  });

  it('is not let in by a ticket that has expired', async () => {
    server = await startPushServer({ limits: { ticketMs: 40 } });
    const ticket = await server.ticket();
    await sleep(60);
    expect(await server.refused(`/v1/ws?ticket=${ticket}`)).toBe(401);
  });

  it('needs no ticket elsewhere, and none is heeded there', async () => {
    server = await startPushServer();
    const ticket = await server.ticket();
    expect((await fetch(`${server.url}/v1/tools?ticket=${ticket}`)).status).toBe(401);
  });

  it('is a page of this server or of an allowed origin when it comes with a ticket', async () => {
    server = await startPushServer({ app: { corsOrigins: () => ['https://app.example'] } });
    const from = async (origin: string) => {
      const path = `/v1/ws?ticket=${await server.ticket()}`;
      return await server.refused(path, { origin }).then(
        (status) => status,
        () => 101,
      );
    };
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('null')).toBe(403);
    for (const origin of ['https://app.example', server.url]) {
      const client = await server.connect(`?ticket=${await server.ticket()}`, null, { origin });
      client.socket.close();
    }
  });

  it('has as many connections as its key may have', async () => {
    server = await startPushServer({ limits: { pushClientsPerKey: 2, pushClients: 3 } });
    const first = await server.connect();
    await server.connect();
    expect(await server.refused('/v1/ws', { authorization: 'Bearer key-of-alice' })).toBe(503);
    await server.connect('', 'bob');
    expect(await server.refused('/v1/ws', { authorization: 'Bearer key-of-bob' })).toBe(503);
    first.socket.close();
    await first.closed;
    await server.connect();
  });

  it('asks over plain HTTP in vain', async () => {
    server = await startPushServer();
    const response = await server.send('/v1/ws');
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket']);
  });

  it.each(['h2c', 'websocket'])('gets an ordinary answer where an upgrade to %s means nothing', async (protocol) => {
    server = await startPushServer();
    const { hostname, port } = new URL(server.url);
    const socket = connectTcp(Number(port), hostname);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

describe('what a client is sent', () => {
  it('is what the protocol says', async () => {
    server = await startPushServer();
    const client = await server.connect('?clientType=panel');
    emit(1);
    client.send({ type: 'ping', ref: 'a' });
    client.send({ type: 'unsubscribe', ref: 'b' });
    client.send('nonsense');
    await client.next(({ type }) => type === 'error');
    const [subscribed, event, ...others] = client.received;
    expect(subscribed).toEqual({
      type: 'subscribed',
      ref: null,
      clientType: 'panel',
      lastEventId: expect.stringMatching(/^evt_/),
    });
    expect(VcpEvent.safeParse(event).success).toBe(true);
    expect(others.map((notice) => PushNotice.safeParse(notice).success)).toEqual([true, true, true]);
    expect(others.map(({ type, ref }) => [type, ref])).toEqual([
      ['pong', 'a'],
      ['unsubscribed', 'b'],
      ['error', null],
    ]);
    expect(others[0]?.['lastEventId']).toBe((event as { id?: unknown }).id);
  });

  it('is what its key owns, and what is for everyone', async () => {
    server = await startPushServer();
    const [alice, bob, operator] = await Promise.all(['alice', 'bob', 'operator'].map((as) => server.connect('', as)));
    emit(1, ofAlice);
    emit(2, { audience: { to: 'operators' } });
    emit(3);
    await Promise.all([alice, bob, operator].map((client) => client!.next(numbered(3))));
    expect([alice, bob, operator].map((client) => numbersOf(client!.received))).toEqual([[1, 3], [3], [1, 2, 3]]);
  });

  it('is what it asks for from then on, with what it missed', async () => {
    server = await startPushServer();
    const client = await server.connect('?types=result');
    const start = client.of('subscribed')[0]!['lastEventId'] as string;
    emit(1);
    client.send({ type: 'subscribe', types: ['plugin_message'], lastEventId: start, ref: 'again' });
    emit(2);
    await client.next(numbered(2));
    client.send({ type: 'unsubscribe' });
    await client.next(({ type }) => type === 'unsubscribed');
    emit(3);
    client.send({ type: 'ping' });
    await client.next(({ type }) => type === 'pong');
    expect(numbersOf(client.received)).toEqual([1, 2]);
  });

  it('says that events are missing when they are not kept any more', async () => {
    server = await startPushServer({ limits: { keptEvents: 2 } });
    const start = server.hub.lastEventId();
    for (const number of [1, 2, 3]) emit(number);
    const client = await server.connect(`?lastEventId=${start}`);
    await client.next(numbered(3));
    expect(client.received.map(({ type }) => type)).toEqual(['subscribed', 'gap', 'plugin_message', 'plugin_message']);
  });

  it('reaches a hundred clients, the connection that was cut aside', async () => {
    server = await startPushServer();
    const clients = await Promise.all(Array.from({ length: 100 }, () => server.connect()));
    clients[0]!.socket.terminate();
    for (let number = 1; number <= 50; number += 1) emit(number);
    await Promise.all(clients.slice(1).map((client) => client.next(numbered(50))));
    const whole = Array.from({ length: 50 }, (_, index) => index + 1);
    for (const client of clients.slice(1)) expect(numbersOf(client.received)).toEqual(whole);
    await expect.poll(() => server.push.count('ws')).toBe(99);
  });

  it('tells of a call: its progress, its result, and what its manifest pushes', async () => {
    server = await startPushServer({
      answer: (call) => {
        call.reportProgress({ stage: 'half', progress: 0.5, message: null });
        return { status: 'success', data: { done: true } };
      },
    });
    const client = await server.connect();
    const { id } = (await (await server.call({ tool: 'Sample', arguments: {} })).json()) as { id: string };
    const result = await client.next(({ type }) => type === 'result');
    expect(result).toMatchObject({ resultId: id, toolName: 'Sample', data: { status: 'success', errorCode: null } });
    expect(client.of('vcp_info')).toMatchObject([{ stage: 'half', progress: 0.5, toolName: 'Sample' }]);
  });
});

describe('a client that talks nonsense', () => {
  const answerTo = async (text: string | Buffer) => {
    const client = await server.connect();
    client.socket.send(text);
    const error = await client.next(({ type }) => type === 'error');
    client.socket.terminate();
    return error;
  };

  it('is told what is wrong, and where', async () => {
    server = await startPushServer();
    expect(await answerTo('{')).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('is not JSON'),
    });
    expect(await answerTo('null')).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await answerTo('{"type":"fly","ref":"r"}')).toMatchObject({ ref: 'r', errors: [{ pointer: '/type' }] });
    expect(await answerTo('{"type":"ping","more":1}')).toMatchObject({ errors: [{ pointer: '/more' }] });
    expect(await answerTo('{"type":"subscribe","types":["vcp_info","no"]}')).toMatchObject({
      errors: [{ pointer: '/types/1' }],
    });
    expect(await answerTo('{"__proto__":{},"type":"ping"}')).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await answerTo(`${'['.repeat(100)}${']'.repeat(100)}`)).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await answerTo(Buffer.from([0xff, 0x00]))).toMatchObject({ message: expect.stringContaining('binary') });
  });

  it('is closed after ten bad messages', async () => {
    server = await startPushServer();
    const client = await server.connect();
    for (let count = 0; count < 12; count += 1) client.send('nonsense');
    expect(await client.closed).toEqual({ code: 1008, reason: 'too many bad messages' });
    expect(client.of('error')).toHaveLength(10);
    expect(server.metrics.counts.get('vcp_push_clients_dropped_total{transport="ws",reason="refused"}')).toBe(1);
  });

  it('is closed for a message that is too large, and for broken UTF-8', async () => {
    server = await startPushServer({ limits: { pushMessageBytes: 1_000 } });
    const large = await server.connect();
    large.send('x'.repeat(1_001));
    expect((await large.closed).code).toBe(1009);
    const broken = await server.connect();
    broken.socket.send(Buffer.from([0xff]), { binary: false });
    expect((await broken.closed).code).toBe(1007);
  });

  it('may not talk too much', async () => {
    server = await startPushServer({ limits: { pushMessagesPerMinute: 3 } });
    const client = await server.connect();
    for (let count = 0; count < 4; count += 1) client.send({ type: 'ping' });
    await client.next(({ code }) => code === 'RATE_LIMITED');
    expect(client.of('pong')).toHaveLength(3);
  });
});

/** A WebSocket whose client never reads after the handshake. */
const connectDeaf = async (): Promise<Socket> => {
  const { hostname, port } = new URL(server.url);
  const socket = connectTcp(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET /v1/ws HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-of-alice\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  return socket;
};

describe('a slow client', () => {
  it('is dropped, and a healthy one loses nothing', async () => {
    server = await startPushServer({ limits: { keptEvents: 200, pushQueueEvents: 20, pushQueueBytes: 64 * 1024 } });
    const slow = await server.connect();
    slow.socket.pause();
    const healthy = await server.connect();
    const many = 2_000;
    for (let number = 1; number <= many; number += 1) {
      emit(number, everyone, 'x'.repeat(8_000));
      if (number % 20 === 0) await healthy.next(numbered(number));
    }
    expect(numbersOf(healthy.received)).toEqual(Array.from({ length: many }, (_, index) => index + 1));
    expect(server.metrics.counts.get('vcp_push_clients_dropped_total{transport="ws",reason="slow"}')).toBe(1);
    // What it did get is in order and whole, and then it is told why there is no more.
    slow.socket.resume();
    expect(await slow.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('lastEventId') });
    const had = numbersOf(slow.received);
    expect(had).toEqual(had.map((_, index) => index + 1));
    expect(had.length).toBeLessThan(many);
  });

  it('that never reads again does not keep its connection', async () => {
    server = await startPushServer({ limits: { keptEvents: 20, pushQueueEvents: 20 } });
    const deaf = await connectDeaf();
    for (let number = 1; number <= 2_000; number += 1) emit(number, everyone, 'x'.repeat(8_000));
    await expect.poll(() => server.push.count('ws'), { timeout: 10_000 }).toBe(0);
    deaf.destroy();
  });

  it('that gives no sign of life is cut off, and one that does is not', async () => {
    server = await startPushServer({ limits: { pushHeartbeatMs: 100 } });
    const deaf = await connectDeaf();
    const healthy = await server.connect();
    await expect.poll(() => server.push.count('ws'), { timeout: 5_000 }).toBe(1);
    expect(healthy.of('heartbeat').length).toBeGreaterThan(0);
    expect(server.metrics.counts.get('vcp_push_clients_dropped_total{transport="ws",reason="silent"}')).toBe(1);
    deaf.destroy();
  });
});

describe('a key that changes while it is connected', () => {
  it('is shut out when it is revoked, and its rights are those of now', async () => {
    const roles = (...names: string[]) => new Set(names) as Identity['roles'];
    const keys: Record<string, Identity | 'revoked'> = {
      carl: { id: 'carl', name: 'carl', roles: roles('human'), tools: null },
      dora: { id: 'dora', name: 'dora', roles: roles('operator'), tools: null },
    };
    server = await startPushServer({
      limits: { pushRecheckMs: 30 },
      app: { authenticator: { authenticate: (key) => keys[key.replace('key-of-', '')] ?? null } },
    });
    const carl = await server.connect('', 'carl');
    const dora = await server.connect('', 'dora');
    keys['carl'] = 'revoked';
    keys['dora'] = { id: 'dora', name: 'dora', roles: roles('human'), tools: null };
    expect(await carl.closed).toEqual({ code: 4001, reason: 'the key is not valid any more' });
    await sleep(100);
    emit(1, ofAlice);
    emit(2);
    await dora.next(numbered(2));
    expect(numbersOf(dora.received)).toEqual([2]);
  });
});

describe('a server that stops', () => {
  it('says so to its clients', async () => {
    server = await startPushServer();
    const client = await server.connect();
    server.push.close();
    expect(await client.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    expect(await server.refused('/v1/ws', { authorization: 'Bearer key-of-alice' })).toBe(503);
  });
});
