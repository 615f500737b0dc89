// `/v1/events` on real sockets.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterEach, describe, expect, it } from 'vitest';
import { everyone, message, ofAlice } from '../support/event-hub.ts';
import { startPushServer, type PushServer } from '../support/push-server.ts';

let server: PushServer;
afterEach(() => server.close());

const emit = (number: number, address: Parameters<PushServer['hub']['emit']>[1] = everyone, padding = '') =>
  server.hub.emit(message({ number, padding }), address);

type Stream = {
  readonly response: Response;
  /** The next event that is no notice of the beginning. */
  next(): Promise<{ id: string | undefined; event: string | undefined; data: unknown }>;
  /** Whether the stream ended in order. */
  end(): Promise<boolean>;
  leave(): void;
};

const open = async (query = '', headers: Record<string, string> = {}, as: string | null = 'alice'): Promise<Stream> => {
  const key: Record<string, string> = as === null ? {} : { authorization: `Bearer key-of-${as}` };
  const aborted = new AbortController();
  const response = await fetch(`${server.url}/v1/events${query}`, {
    headers: { ...key, ...headers },
    signal: aborted.signal,
  });
  if (!response.ok) return { response } as Stream;
  const text = response.body!.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>;
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  const next = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error('the stream has ended');
    return { id: value.id, event: value.event, data: JSON.parse(value.data) as unknown };
  };
  expect((await next()).event).toBe('subscribed');
  const end = async () => {
    for (;;) {
      try {
        if ((await reader.read()).done) return true;
      } catch {
        return false;
      }
    }
  };
  return { response, next, end, leave: () => aborted.abort() };
};

describe('a stream of events', () => {
  it('has the events that its key may hear of, by id and type', async () => {
    server = await startPushServer();
    const stream = await open();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    emit(1, { audience: { to: 'owner', owner: 'bob' } });
    emit(2, ofAlice);
    const event = await stream.next();
    expect(event).toMatchObject({ event: 'plugin_message', data: { id: event.id, data: { message: { number: 2 } } } });
    stream.leave();
  });

  it('has what its query asks for', async () => {
    server = await startPushServer();
    const stream = await open('?types=plugin_message,result&tools=B&clientType=panel');
    server.hub.emit(message({ number: 1 }, 'A'), everyone);
    server.hub.emit(message({ number: 2 }, 'B'), { ...everyone, clientType: 'phone' });
    server.hub.emit(message({ number: 3 }, 'B'), { ...everyone, clientType: 'panel' });
    expect(await stream.next()).toMatchObject({ data: { data: { message: { number: 3 } } } });
    stream.leave();
  });

  it('goes on after Last-Event-ID, and says what is missing', async () => {
    server = await startPushServer({ limits: { keptEvents: 3 } });
    const stream = await open();
    for (const number of [1, 2, 3]) emit(number);
    const first = await stream.next();
    stream.leave();
    const again = await open('', { 'last-event-id': first.id! });
    expect(await again.next()).toMatchObject({ data: { data: { message: { number: 2 } } } });
    again.leave();
    for (const number of [4, 5, 6]) emit(number);
    const late = await open('', { 'last-event-id': first.id! });
    expect(await late.next()).toMatchObject({ event: 'gap', data: { lastEventId: first.id } });
    expect(await late.next()).toMatchObject({ data: { data: { message: { number: 4 } } } });
    late.leave();
  });

  it('is opened by a ticket, once, and by pages of allowed origins alone', async () => {
    server = await startPushServer();
    const ticket = await server.ticket('bob');
    const stream = await open(`?ticket=${ticket}`, {}, null);
    emit(1, { audience: { to: 'owner', owner: 'bob' } });
    expect(await stream.next()).toMatchObject({ data: { data: { message: { number: 1 } } } });
    stream.leave();
    expect((await open(`?ticket=${ticket}`, {}, null)).response.status).toBe(401);
    const foreign = { origin: 'https://evil.example' };
    expect((await open(`?ticket=${await server.ticket()}`, foreign, null)).response.status).toBe(403);
  });

  it.each(['x', 'evt_', '5'])('is refused with the Last-Event-ID %j', async (id) => {
    server = await startPushServer();
    expect((await open('', { 'last-event-id': id })).response.status).toBe(400);
  });

  it('gives no body to HEAD, and counts no client', async () => {
    server = await startPushServer();
    const headers = { authorization: 'Bearer key-of-alice' };
    const response = await fetch(`${server.url}/v1/events`, { method: 'HEAD', headers });
    expect([response.status, await response.text(), server.push.count('sse')]).toEqual([200, '', 0]);
  });

  it('shows that it lives, and tells where to go on', async () => {
    server = await startPushServer({ limits: { pushHeartbeatMs: 40 } });
    const headers = { authorization: 'Bearer key-of-alice' };
    const response = await fetch(`${server.url}/v1/events?types=result`, { headers });
    emit(1);
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('event: heartbeat')) text += new TextDecoder().decode((await reader.read()).value);
    expect(text).toContain(`\nid: ${server.hub.lastEventId()}\nevent: heartbeat\n`);
    expect(text).toMatch(/^retry: 2000\n/);
    await reader.cancel();
  });

  it('forgets a client that leaves', async () => {
    server = await startPushServer();
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()));
    expect(server.push.count('sse')).toBe(20);
    for (const stream of streams) stream.leave();
    await expect.poll(() => server.push.count('sse')).toBe(0);
  });

  it('ends when the server stops, after what waits', async () => {
    server = await startPushServer();
    const stream = await open();
    emit(1);
    server.push.close();
    expect(await stream.next()).toMatchObject({ data: { data: { message: { number: 1 } } } });
    expect(await stream.end()).toBe(true);
    expect((await open()).response.status).toBe(503);
  });

  it('is cut when its client takes nothing, and a healthy one loses nothing', async () => {
    server = await startPushServer({ limits: { keptEvents: 100, pushQueueEvents: 10 } });
    const { hostname, port } = new URL(server.url);
    const deaf = connectTcp(Number(port), hostname);
    deaf.on('error', () => undefined);
    deaf.write('GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-of-alice\r\n\r\n');
    await once(deaf, 'data');
    deaf.pause();
    const stream = await open();
    for (let number = 1; number <= 2_000; number += 1) {
      emit(number, everyone, 'x'.repeat(8_000));
      expect(await stream.next()).toMatchObject({ data: { data: { message: { number } } } });
    }
    expect(server.metrics.counts.get('vcp_push_clients_dropped_total{transport="sse",reason="slow"}')).toBe(1);
    expect(server.push.count('sse')).toBe(1);
    // The server lets go of the connection, and does not only forget about it.
    deaf.resume();
    await once(deaf, 'close');
    stream.leave();
  });
});
