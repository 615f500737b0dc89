import { expect, it, onTestFinished } from 'vitest';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { openSocketClient, refusedSocket, type SocketClient } from '../../support/socket-client.ts';
import { success, type Caller } from '../target.ts';

/** Events that clients are pushed (§10.6, §17.6): on a WebSocket, and on a stream over plain HTTP. */
export const eventScenarios = ({ request, answer, socketUrl, apiKey }: Caller): void => {
  const connect = async (query = '', headers = { authorization: `Bearer ${apiKey()}` } as Record<string, string>) => {
    const client = await openSocketClient(socketUrl(`/v1/ws${query}`), headers);
    onTestFinished(() => client.socket.terminate());
    return client;
  };
  const resultOf = (client: SocketClient, { id }: CanonicalToolResult) =>
    client.next((message) => message['type'] === 'result' && message['resultId'] === id);
  const ticket = async () => {
    const response = await request('/v1/tickets', { method: 'POST' });
    expect(response.status).toBe(201);
    return ((await response.json()) as { ticket: string }).ticket;
  };

  it('tells who is connected of a result', async () => {
    const client = await connect();
    const result = await answer(success({ n: 1 }));
    expect(await resultOf(client, result)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'result',
      time: expect.any(String),
      invocationId: expect.stringMatching(/^ti_/),
      requestId: expect.stringMatching(/^req_/),
      resultId: result.id,
      recordId: result.execution.recordId,
      taskId: null,
      approvalId: null,
      scheduleId: null,
      toolName: 'PayloadEcho',
      data: { status: 'success', errorCode: null, command: 'Answer' },
    });
  });

  it('answers what a client asks, and refuses what it cannot read', async () => {
    const client = await connect('?clientType=panel');
    expect(client.received[0]).toMatchObject({ type: 'subscribed', clientType: 'panel' });
    client.send({ type: 'ping', ref: 'a' });
    expect(await client.next(({ type }) => type === 'pong')).toMatchObject({
      ref: 'a',
      lastEventId: expect.any(String),
    });
    client.send('nonsense');
    expect(await client.next(({ type }) => type === 'error')).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('sends what a client has subscribed to, and nothing after it has unsubscribed', async () => {
    const client = await connect('?tools=Other');
    const before = await answer(success(1));
    client.send({ type: 'subscribe', tools: ['PayloadEcho'], types: ['result'], ref: 'b' });
    await client.next(({ ref }) => ref === 'b');
    const during = await answer(success(2));
    await resultOf(client, during);
    client.send({ type: 'unsubscribe', ref: 'c' });
    await client.next(({ ref }) => ref === 'c');
    const witness = await connect();
    await resultOf(witness, await answer(success(3)));
    expect(client.of('result').map(({ resultId }) => resultId)).toEqual([during.id]);
    expect(before.id).not.toBe(during.id);
  });

  it('goes on after the last event that a client has seen', async () => {
    const first = await connect();
    const seen = await resultOf(first, await answer(success(1)));
    first.socket.terminate();
    const missed = await answer(success(2));
    const witness = await connect(`?lastEventId=${String(seen['id'])}`);
    await resultOf(witness, missed);
    const again = await connect(`?lastEventId=${String(seen['id'])}&types=result`);
    await resultOf(again, missed);
    expect(again.received.map(({ type }) => type)).toEqual(['subscribed', 'result']);
  });

  it('says that events are missing where they are not kept any more', async () => {
    const client = await connect('?lastEventId=evt_01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(await client.next(({ type }) => type === 'gap')).toMatchObject({
      lastEventId: 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    });
  });

  it('lets a page in by a ticket, once', async () => {
    const value = await ticket();
    const client = await connect(`?ticket=${value}`, {});
    await resultOf(client, await answer(success(1)));
    expect(await refusedSocket(socketUrl(`/v1/ws?ticket=${value}`), {})).toBe(401);
  });

  it('asks for a key', async () => {
    expect(await refusedSocket(socketUrl('/v1/ws'), { authorization: 'Bearer wrong' })).toBe(401);
    const response = await request('/v1/events', { headers: { authorization: '' } });
    expect(response.status).toBe(401);
  });

  it('streams the same over plain HTTP', async () => {
    const stream = await openStream(await request('/v1/events?types=result'));
    const result = await answer(success('streamed'));
    const [found] = await stream.until(`"resultId":"${result.id}"`);
    const id = /id: (\S+)\nevent: result\ndata: [^\n]*$/.exec(found.trimEnd())?.[1];
    expect(id).toMatch(/^evt_/);
    await stream.end();

    const missed = await answer(success('missed'));
    const again = await openStream(await request('/v1/events', { headers: { 'last-event-id': String(id) } }));
    await again.until(`"resultId":"${missed.id}"`);
    await again.end();
  });
};

/** What has come of a stream so far, until it has a text in it. */
const openStream = async (response: Response) => {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    until: async (wanted: string): Promise<[string]> => {
      for (;;) {
        const end = text.indexOf(wanted);
        if (end !== -1) return [text.slice(0, text.indexOf('\n\n', end) + 2 || undefined)];
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream has ended: ${text}`);
        text += value;
      }
    },
    end: () => reader.cancel(),
  };
};
