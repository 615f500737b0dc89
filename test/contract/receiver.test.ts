// A receiver of callbacks over a real database: what it takes, what it keeps of it, and for how long.
import { hash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createInboxClient } from '../../src/inbox/inbox-client.ts';
import { createInboxPuller } from '../../src/inbox/pull-inbox.ts';
import type { InboxItem } from '../../src/protocol/inbox.ts';
import type { GuardedFetch } from '../../src/ports/guarded-fetch.ts';
import type { EventPush } from '../../src/server/push/event-push.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../support/async-tool.ts';
import { callSample, createMemoryRuntime } from '../support/memory-runtime.ts';
import { createTestReceiver, type ReceiverSetup } from '../support/receiver.ts';
import { sampleIds } from '../support/sample-calls.ts';
import { png } from '../support/sample-files/images.ts';
import { base64Of } from '../support/sample-values.ts';

const opened: { close(): Promise<void> }[] = [];
const open = async (setup?: ReceiverSetup) => {
  const receiver = await createTestReceiver(setup);
  opened.push(receiver);
  return receiver;
};
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const ended = (text = 'done', more: Record<string, unknown> = {}) => ({ result: finalPayload(text, more) });
const taskId = () => sampleIds.next('task');
const picture = png();
const PICTURE = { sha256: hash('sha256', picture), base64: base64Of([...picture]) };
const payloadOf = ({ content }: InboxItem) => content as { resources: Record<string, unknown>[]; warnings: object[] };

describe('a callback that a receiver takes', () => {
  it('is told to operators, once', async () => {
    const receiver = await open();
    const id = taskId();
    await receiver.send(id, { progress: { stage: 'drawing', progress: 0.5 } }, 'msg_progress');
    await receiver.send(id, { progress: { stage: 'drawing', progress: 0.5 } }, 'msg_progress');
    await receiver.send(id, { result: { status: 'cancelled', data: null, error: null } });
    const error = { code: 'TOOL_CANCELLED', message: 'stopped' };
    for (const _ of [1, 2]) await receiver.send(id, { result: { status: 'cancelled', data: null, error } }, 'msg_end');
    const to = { taskId: id, toolName: 'Sample', audience: { to: 'operators' } };
    expect(receiver.emitted).toEqual([
      { type: 'vcp_info', ...to, stage: 'drawing', progress: 0.5, message: null },
      { type: 'task', ...to, data: { state: 'cancelled', progress: null, resultId: null } },
    ]);
  });

  it('is one of those that come at the same time under one id, and one end of its task', async () => {
    const receiver = await open();
    const id = taskId();
    const same = await Promise.all(Array.from({ length: 6 }, () => receiver.send(id, ended('same'), 'msg_same')));
    expect(same.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const other = taskId();
    const rivals = await Promise.all(
      Array.from({ length: 6 }, (_, index) => receiver.send(other, ended(`rival ${index}`), 'msg_same')),
    );
    expect(rivals.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const codes = await Promise.all(
      rivals.map(async (answer) => ((await answer.json()) as { code?: string }).code ?? 'taken'),
    );
    expect(codes.toSorted()).toEqual([
      'WEBHOOK_ID_REUSED',
      ...Array.from({ length: 4 }, () => 'WEBHOOK_ID_REUSED'),
      'taken',
    ]);
    const third = taskId();
    const ends = await Promise.all(
      Array.from({ length: 6 }, (_, index) => receiver.send(third, ended(`end ${index}`))),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await receiver.list()).items).toHaveLength(3);
  });

  it('stands in the order of taking, also when a clock was ahead', async () => {
    const receiver = await open();
    const [early, late] = [taskId(), taskId()];
    receiver.pass(60_000);
    await receiver.send(early, ended());
    receiver.pass(-60_000);
    expect((await receiver.send(late, ended())).status).toBe(200);
    const { items } = await receiver.list();
    expect(items.map((item) => item.taskId)).toEqual([early, late]);
    expect(items[1]!.id > items[0]!.id).toBe(true);
  });

  it('may have its token in the address, and its content for its id then', async () => {
    const receiver = await open({ urlTokens: true });
    const id = taskId();
    const token = await receiver.tokens.sign({ toolName: 'Sample', taskId: id }, receiver.clock.now() + 60_000);
    const send = () =>
      receiver.app.request(`/plugin-callback/Sample/${id}?token=${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          protocol: { name: 'vcp.tool-result-callback', version: '1.0' },
          taskId: id,
          ...ended(),
        }),
      });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    const [item] = (await receiver.list()).items;
    expect(item?.webhookId).toBe(`sha256:${item?.digest}`);
  });
});

describe('what a callback brings', () => {
  it('is stored and described by its bytes, and is no text in the item', async () => {
    const receiver = await open();
    const resources = [
      { id: 'a', base64: PICTURE.base64, mimeType: 'text/plain', metadata: { seed: 7 } },
      { id: 'b', dataUri: 'data:text/csv,a%2Cb', fileName: 'table.csv', role: 'attachment' },
      { id: 'c', resourceId: sampleIds.next('resource') },
    ];
    const sent = await receiver.send(
      taskId(),
      ended('done', { resources, data: { text: 'x', cover: { $resource: 'a' } } }),
    );
    expect(sent.status).toBe(200);
    const [item] = (await receiver.list()).items;
    expect(item?.resources).toMatchObject([
      { sha256: PICTURE.sha256, sizeBytes: picture.length, mimeType: 'image/png', kind: 'image' },
      { sizeBytes: 3, mimeType: 'text/csv', fileName: 'table.csv' },
    ]);
    const [first, second, third] = payloadOf(item!).resources;
    expect(first).toEqual({
      id: 'a',
      role: 'output',
      mimeType: 'image/png',
      metadata: { seed: 7 },
      resourceId: item?.resources[0]?.id,
    });
    expect(second).toMatchObject({ id: 'b', role: 'attachment', resourceId: item?.resources[1]?.id });
    // One of the server's own is the server's to find.
    expect(third).toMatchObject(resources[2]!);
    expect(payloadOf(item!).warnings).toMatchObject([{ code: 'MIME_MISMATCH', target: 'resources.0.mimeType' }]);
    const bytes = await receiver.ask(`/v1/inbox/blobs/${PICTURE.sha256}`);
    expect(bytes.headers.get('content-length')).toBe(String(picture.length));
    expect(hash('sha256', new Uint8Array(await bytes.arrayBuffer()))).toBe(PICTURE.sha256);
  });

  it('is fetched where it is an address, and left where that fails', async () => {
    const fetch: GuardedFetch = async ({ url, receive }) => {
      if (!url.includes('there')) return { ok: false, code: 'BLOCKED_ADDRESS', message: 'not open', retryable: false };
      await receive?.(new Blob([picture as Uint8Array<ArrayBuffer>]).stream());
      const headers = new Headers({ 'content-type': 'image/png' });
      return { ok: true, url, status: 200, headers, body: new Uint8Array(), redirects: [] };
    };
    const receiver = await open({ fetch });
    const resources = [
      { id: 'a', url: 'https://images.example/there.png?key=1' },
      { id: 'b', url: 'https://images.example/gone.png' },
    ];
    await receiver.send(taskId(), ended('done', { resources }));
    const [item] = (await receiver.list()).items;
    expect(item?.resources).toMatchObject([{ sha256: PICTURE.sha256, fileName: 'there.png' }]);
    const [there, gone] = payloadOf(item!).resources;
    expect(there).toMatchObject({ source: { type: 'external', provider: 'images.example' } });
    expect(there).not.toHaveProperty('url');
    expect(gone).toMatchObject(resources[1]!);
    expect(payloadOf(item!).warnings).toEqual([]);
  });

  it('is held to the limits, and refused with a pointer', async () => {
    const receiver = await open({ limits: { resourceBytes: 100, resourceBytesPerResult: 150, resourcesPerResult: 3 } });
    const bytesOf = (id: string, length: number) => ({ id, base64: base64Of(Array.from({ length }, () => 65)) });
    const refusals: [unknown[], string][] = [
      [[bytesOf('a', 10), bytesOf('b', 101)], '/result/resources/1/base64'],
      [[bytesOf('a', 90), bytesOf('b', 90)], '/result/resources'],
      [['a', 'b', 'c', 'd'].map((id) => bytesOf(id, 1)), '/result/resources'],
      [[bytesOf('a', 1), bytesOf('a', 1)], '/result/resources/1/id'],
      [[{ id: 'a', localPath: 'a.png' }], '/result/resources/0/localPath'],
      [[{ id: 'a', base64: '!' }], '/result/resources/0/base64'],
    ];
    for (const [resources, pointer] of refusals) {
      const refused = await receiver.send(taskId(), ended('done', { resources }));
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { code: 'INVALID_TOOL_RESULT', errors: [{ pointer }] },
      ]);
    }
    expect((await receiver.list()).items).toEqual([]);
  });

  it('lies with the resources where its JSON is large', async () => {
    const receiver = await open({ limits: { inboxContentBytes: 200 } });
    await receiver.send(taskId(), ended('long '.repeat(100)));
    const [item] = (await receiver.list()).items;
    expect(item).toMatchObject({ content: null });
    const text = await (await receiver.ask(`/v1/inbox/blobs/${item?.contentBlob?.sha256}`)).text();
    expect(JSON.parse(text)).toMatchObject({ data: { text: 'long '.repeat(100) } });
  });
});

describe('an inbox', () => {
  it('is an operator’s', async () => {
    const receiver = await open();
    for (const path of ['/v1/inbox', `/v1/inbox/blobs/${PICTURE.sha256}`]) {
      expect((await receiver.ask(path, {}, 'human')).status).toBe(403);
      expect((await receiver.ask(path, {}, 'nobody')).status).toBe(401);
    }
    const acknowledging = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expect((await receiver.ask('/v1/inbox/acknowledgements', acknowledging, 'human')).status).toBe(403);
    expect((await receiver.ask('/v1/inbox/acknowledgements', acknowledging)).status).toBe(400);
    expect((await receiver.ask('/v1/inbox?after=x')).status).toBe(400);
  });

  it('gives bytes that an item has, and no others of the store', async () => {
    const receiver = await open();
    const { sha256 } = await receiver.blobs.put(new Uint8Array([1]), { maxBytes: 1 });
    for (const asked of [sha256, 'x', '..%2F..']) {
      expect((await receiver.ask(`/v1/inbox/blobs/${asked}`)).status).toBe(404);
    }
  });

  it('keeps what nobody acknowledged, and lets go of the rest in its time', async () => {
    const receiver = await open();
    const [done, waiting] = [taskId(), taskId()];
    const other = base64Of([1, 2, 3]);
    await receiver.send(done, ended('done', { resources: [{ id: 'a', base64: PICTURE.base64 }] }), 'msg_done');
    await receiver.send(waiting, ended('waiting', { resources: [{ id: 'a', base64: other }] }));
    const [first, second] = (await receiver.list()).items;
    expect(await (await receiver.acknowledge(first!.id)).json()).toEqual({ acknowledged: 1 });
    expect(await (await receiver.acknowledge(first!.id)).json()).toEqual({ acknowledged: 0 });
    await receiver.collect();
    expect(await receiver.blobs.stat(PICTURE.sha256)).not.toBeNull();
    // It is remembered for as long as its token may come again.
    expect((await receiver.send(done, ended('other'))).status).toBe(409);
    receiver.pass(receiver.limits.inboxMs + receiver.limits.blobGraceMs + 1);
    await receiver.collect();
    expect(await receiver.blobs.stat(PICTURE.sha256)).toBeNull();
    expect(await receiver.blobs.stat(second!.resources[0]!.sha256)).not.toBeNull();
    expect((await receiver.list()).items).toEqual([second]);
    expect(await receiver.inbox.taken(done, 'msg_done')).toEqual({ sameId: null, last: null });
  });

  it('remembers an end for as long as its token is good', async () => {
    const receiver = await open();
    const id = taskId();
    const long = receiver.limits.inboxMs * 3;
    await receiver.send(id, ended(), 'msg_1', long);
    await receiver.acknowledge((await receiver.list()).items[0]!.id);
    receiver.pass(receiver.limits.inboxMs * 2);
    await receiver.collect();
    expect((await receiver.send(id, ended(), 'msg_1')).status).toBe(200);
    expect((await receiver.send(id, ended('other'), 'msg_2')).status).toBe(409);
    expect((await receiver.list()).items).toEqual([]);
  });
});

describe('the surface of a receiver', () => {
  it('has the routes of events where somebody serves them, behind its key', async () => {
    const eventPush: EventPush = {
      openSocket: async (c) => c.text('a socket'),
      openStream: async (c, { identity }) => c.text(identity.id),
      tickets: { issue: () => null, redeem: () => null },
    };
    const receiver = await open({ eventPush });
    expect((await receiver.app.request('/v1/events')).status).toBe(401);
    expect(await (await receiver.ask('/v1/events')).text()).toBe('operator');
    expect((await (await open()).ask('/v1/events')).status).toBe(501);
  });

  it('says which methods a path takes', async () => {
    const refused = await (await open()).ask('/v1/inbox', { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a server behind a receiver', () => {
  it('makes of a callback what it would have made of it at once', async () => {
    const server = createMemoryRuntime({ manifests: [asyncManifest()], answer: acceptedAnswer });
    const receiver = await open();
    const resources = [
      { id: 'a', base64: PICTURE.base64, mimeType: 'text/plain', fileName: 'a.png' },
      { id: 'b', dataUri: 'data:text/csv,a%2Cb' },
    ];
    const said = ended('done', { resources, data: { text: 'x', cover: { $resource: 'a' } } });
    const [direct, relayed] = [await callSample(server), await callSample(server)];
    const { receiveCallback } = await import('../../src/runtime/tasks/receive-callback.ts');
    const task = (await server.tasks.store.get(direct.task!.id))!;
    await receiveCallback(task, { kind: 'result', result: said.result as never }, 'msg_direct', server.finishing);
    await receiver.send(relayed.task!.id, said, 'msg_relayed');
    const client = createInboxClient({
      url: 'https://receiver.example',
      key: 'operator',
      fetch: async (url, init) => await receiver.app.request(new URL(url).pathname, init),
      limits: server.limits,
    });
    const puller = createInboxPuller({ ...server, client, clock: receiver.clock });
    expect(await puller.look(new AbortController().signal)).toBe(true);
    const [one, other] = await Promise.all([direct, relayed].map(({ task: of }) => server.tasks.endedWith(of!.id)));
    const comparable = ({ data, resources: of, warnings, status, presentation }: NonNullable<typeof one>) =>
      JSON.parse(
        JSON.stringify({ data, status, presentation, warnings, resources: of }).replaceAll(/res_\w{26}/g, 'res'),
      ) as unknown;
    expect(comparable(other!)).toEqual(comparable(one!));
    expect((await receiver.list()).items).toEqual([]);
  });
});
