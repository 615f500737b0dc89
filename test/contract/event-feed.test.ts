// `client.events()` against a real server that goes away, comes back, forgets and refuses.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createVcpClient, VcpProblem, VcpUnreachable } from '../../src/client/vcp-client.ts';
import type { VcpEvent } from '../../src/protocol/event.ts';
import type { GapNotice } from '../../src/protocol/push.ts';
import { everyone, message, numberOf } from '../support/event-hub.ts';
import { startPushServer, type PushServer } from '../support/push-server.ts';

let server: PushServer;
const stops: AbortController[] = [];
afterEach(async () => {
  for (const stop of stops) stop.abort();
  await server.close();
});

const emit = (number: number) => server.hub.emit(message({ number }), everyone);

/** Reads events in the background. `break()` cuts the connection under it. */
const read = (options: Parameters<ReturnType<typeof createVcpClient>['events']>[0] = {}, key = 'key-of-alice') => {
  const stop = new AbortController();
  stops.push(stop);
  const opened: string[] = [];
  const cuts: AbortController[] = [];
  const client = createVcpClient({
    endpoint: server.url,
    apiKey: key,
    fetch: (url, init) => {
      const cut = new AbortController();
      cuts.push(cut);
      opened.push(url as string);
      const asked = init?.signal ?? cut.signal;
      return fetch(url, { ...init, signal: AbortSignal.any([asked, cut.signal]) });
    },
  });
  const numbers: number[] = [];
  const gaps: GapNotice[] = [];
  const reading = (async () => {
    const onGap = (gap: GapNotice) => void gaps.push(gap);
    for await (const event of client.events({ signal: stop.signal, onGap, ...options })) numbers.push(numberOf(event));
  })();
  reading.catch(() => undefined);
  const connected = () => expect.poll(() => server.push.count('sse')).toBeGreaterThan(0);
  const cut = async () => {
    cuts.at(-1)?.abort();
    await expect.poll(() => server.push.count('sse')).toBe(0);
  };
  return { numbers, gaps, opened, reading, connected, cut, stop };
};

describe('the events of a client', () => {
  it('come in order, also over connections that break', async () => {
    server = await startPushServer();
    const { numbers, gaps, connected, cut, opened } = read();
    await connected();
    for (let round = 0; round < 3; round += 1) {
      emit(numbers.length + 1);
      await expect.poll(() => numbers.length).toBe(round * 3 + 1);
      await cut();
      // While nobody listens.
      emit(round * 3 + 2);
      emit(round * 3 + 3);
      await expect.poll(() => numbers.length, { timeout: 5_000 }).toBe(round * 3 + 3);
    }
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(gaps).toEqual([]);
    expect(opened.length).toBe(4);
  });

  it('are not lost when the connection breaks before the first of them', async () => {
    server = await startPushServer();
    const { numbers, connected, cut } = read();
    await connected();
    await sleep(50);
    await cut();
    emit(1);
    await expect.poll(() => numbers, { timeout: 5_000 }).toEqual([1]);
  });

  it('say that some are missing', async () => {
    server = await startPushServer({ limits: { keptEvents: 2 } });
    const { numbers, gaps, connected, cut } = read();
    await connected();
    emit(1);
    await expect.poll(() => numbers).toEqual([1]);
    await cut();
    for (const number of [2, 3, 4, 5]) emit(number);
    await expect.poll(() => numbers, { timeout: 5_000 }).toEqual([1, 4, 5]);
    expect(gaps).toHaveLength(1);
  });

  it('are those that were asked for', async () => {
    server = await startPushServer();
    const { numbers, connected, opened } = read({ types: ['plugin_message'], tools: ['A', 'B, C'], clientType: 'x' });
    await connected();
    server.hub.emit(message({ number: 1 }, 'Z'), everyone);
    server.hub.emit(message({ number: 2 }, 'A'), everyone);
    await expect.poll(() => numbers).toEqual([2]);
    expect(opened[0]).toContain('types=plugin_message&tools=A%2CB%2C+C&clientType=x');
  });

  it('end when the reader leaves the loop, and the server is told', async () => {
    server = await startPushServer();
    const client = createVcpClient({ endpoint: server.url, apiKey: 'key-of-alice' });
    const seen: VcpEvent[] = [];
    const reading = (async () => {
      for await (const event of client.events()) {
        seen.push(event);
        break;
      }
    })();
    await expect.poll(() => server.push.count('sse')).toBe(1);
    emit(1);
    await reading;
    await expect.poll(() => server.push.count('sse')).toBe(0);
    expect(seen).toHaveLength(1);
  });

  it('end with the reason of the signal', async () => {
    server = await startPushServer();
    const { reading, connected, stop } = read();
    await connected();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('fail at once where there is nothing to hope for', async () => {
    server = await startPushServer();
    await expect(read({}, 'key-of-nobody').reading).rejects.toThrow(VcpProblem);
    await expect(read({ lastEventId: 'nonsense' }).reading).rejects.toThrow(VcpProblem);
    const nowhere = createVcpClient({ endpoint: 'http://127.0.0.1:9', apiKey: 'k' });
    await expect(nowhere.events()[Symbol.asyncIterator]().next()).rejects.toThrow(VcpUnreachable);
  });

  it('opens a page in a browser by a ticket', async () => {
    server = await startPushServer();
    const client = createVcpClient({ endpoint: server.url, apiKey: 'key-of-alice' });
    const { ticket, expiresAt } = await client.createTicket();
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(50_000);
    const socket = await server.connect(`?ticket=${ticket}`, null);
    socket.socket.close();
  });
});
