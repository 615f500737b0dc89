import { describe, expect, it } from 'vitest';
import { createInboxClient } from '../../../src/inbox/inbox-client.ts';
import { createInboxPuller } from '../../../src/inbox/pull-inbox.ts';
import type { InboxItem } from '../../../src/protocol/inbox.ts';
import type { TransportCall } from '../../../src/ports/transport.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { hashJson } from '../../../src/lib/hash-json.ts';
import { toHex } from '../../../src/lib/to-hex.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { callSample, createMemoryRuntime } from '../../support/memory-runtime.ts';
import { sampleIds } from '../../support/sample-calls.ts';
import { sampleInboxItem } from '../../support/sample-inbox.ts';
import { MAGIC } from '../../support/sample-values.ts';

const sha256Of = async (bytes: Uint8Array<ArrayBuffer>) =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));

/** A receiver that answers from memory, and what a test does to it. */
const open = async (limits = {}) => {
  const parts = createMemoryRuntime({ manifests: [asyncManifest()], answer: acceptedAnswer, limits });
  const items: unknown[] = [];
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  const asked: string[] = [];
  const trouble = { acknowledging: false, status: 200, stalls: false };
  let monotonic = 0;
  const fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    asked.push(pathname);
    expect(new Headers(init.headers).get('authorization')).toBe('Bearer the-key');
    if (trouble.status !== 200) return new Response(null, { status: trouble.status });
    if (pathname === '/v1/inbox') {
      const after = searchParams.get('after') ?? '';
      const limit = Number(searchParams.get('limit'));
      const behind = items.filter((item) => (item as InboxItem).id > after);
      const page = behind.slice(0, limit);
      return Response.json({
        items: page,
        nextAfter: page.length === limit ? (page.at(-1) as InboxItem).id : null,
      });
    }
    if (pathname === '/v1/inbox/acknowledgements') {
      if (trouble.acknowledging) throw new TypeError('the connection broke');
      const { ids } = JSON.parse(init.body as string) as { ids: string[] };
      for (const id of ids) {
        const at = items.findIndex((item) => (item as InboxItem).id === id);
        if (at !== -1) items.splice(at, 1);
      }
      return Response.json({ acknowledged: ids.length });
    }
    const bytes = blobs.get(pathname.slice('/v1/inbox/blobs/'.length));
    // Some come, and then nothing more.
    if (trouble.stalls && bytes !== undefined)
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes.slice(1)) }));
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes);
  };
  const client = createInboxClient({ url: 'https://receiver.example/', key: 'the-key', fetch, limits: parts.limits });
  const puller = createInboxPuller({
    client,
    finishing: parts.finishing,
    clock: { now: () => Date.now(), monotonic: () => monotonic },
    logger: parts.logger,
    limits: parts.limits,
  });
  const begin = async (): Promise<NonNullable<TransportCall['task']>> => {
    await callSample(parts);
    return parts.delivered.at(-1)!.task!;
  };
  const itemOf = async (taskId: string, content: unknown, more: Partial<InboxItem> = {}): Promise<InboxItem> =>
    sampleInboxItem({
      taskId,
      digest: await hashJson(content),
      content: content as InboxItem['content'],
      ...more,
    });
  return {
    ...parts,
    items,
    blobs,
    asked,
    trouble,
    begin,
    itemOf,
    look: () => puller.look(new AbortController().signal),
    pass: (ms: number) => (monotonic += ms),
    taskOf: (id: string) => parts.tasks.store.get(id),
    endOf: (id: string) => parts.tasks.endedWith(id),
    ends: () => parts.emitted.filter((event) => event.type === 'result' && event.data.status !== 'accepted').length,
    events: () => parts.logged.map(({ event, fields }) => [event, fields['verdict']]),
  };
};

describe('an inbox', () => {
  it('is emptied page by page', async () => {
    const inbox = await open({ inboxPageItems: 2 });
    const tasks = [await inbox.begin(), await inbox.begin(), await inbox.begin()];
    for (const { id } of tasks) inbox.items.push(await inbox.itemOf(id, finalPayload(id)));
    expect(await inbox.look()).toBe(true);
    for (const { id } of tasks) expect((await inbox.endOf(id))?.data).toEqual({ text: id });
    expect(inbox.items).toEqual([]);
    const pages = inbox.asked.filter((path) => path === '/v1/inbox');
    expect(pages).toHaveLength(2);
  });

  it('gives what it holds once, however often it could not be acknowledged', async () => {
    const inbox = await open();
    const { id } = await inbox.begin();
    inbox.items.push(await inbox.itemOf(id, finalPayload('once')));
    inbox.trouble.acknowledging = true;
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(inbox.look()).rejects.toThrow('does not answer');
    inbox.trouble.acknowledging = false;
    await inbox.look();
    expect(inbox.items).toEqual([]);
    expect((await inbox.endOf(id))?.data).toEqual({ text: 'once' });
    expect(inbox.ends()).toBe(1);
    expect(inbox.events().filter(([event]) => event === 'inbox.item-dropped')).toEqual([]);
  });

  it('and a callback that came directly are one', async () => {
    const inbox = await open();
    const { id } = await inbox.begin();
    const item = await inbox.itemOf(id, finalPayload('once'));
    inbox.items.push(item, await inbox.itemOf(id, finalPayload('another')));
    await inbox.look();
    expect(inbox.items).toEqual([]);
    expect((await inbox.endOf(id))?.data).toEqual({ text: 'once' });
    expect(inbox.events().filter(([event]) => String(event).startsWith('inbox.'))).toEqual([
      ['inbox.item-taken', 'taken'],
      ['inbox.item-dropped', 'ended'],
    ]);
  });

  it('tells of progress', async () => {
    const inbox = await open();
    const { id } = await inbox.begin();
    const progress = { stage: 'drawing', progress: 0.5, message: null };
    inbox.items.push(await inbox.itemOf(id, progress, { kind: 'progress', state: 'running' }));
    inbox.items.push(await inbox.itemOf(id, { progress: 7 }, { kind: 'progress', state: 'running' }));
    await inbox.look();
    expect(await inbox.taskOf(id)).toMatchObject({ state: 'running', stage: 'drawing', progress: 0.5 });
    expect(inbox.items).toEqual([]);
  });

  it('of a receiver that answers otherwise is a fault that says what to look at', async () => {
    const inbox = await open();
    inbox.trouble.status = 401;
    await expect(inbox.look()).rejects.toThrow('is VCP_INBOX_KEY a key of an operator there?');
    inbox.trouble.status = 503;
    await expect(inbox.look()).rejects.toThrow('answered /v1/inbox with status 503');
  });
});

describe('an item that can never be taken', () => {
  it('ends its task where its result is not that of the command', async () => {
    const inbox = await open();
    const { id } = await inbox.begin();
    const item = await inbox.itemOf(id, { status: 'success', data: { number: 1 } });
    inbox.items.push(item);
    inbox.trouble.acknowledging = true;
    await expect(inbox.look()).rejects.toThrow();
    const result = await inbox.endOf(id);
    expect(result).toMatchObject({ status: 'error', error: { code: 'INVALID_TOOL_RESULT', target: 'data.text' } });
    inbox.trouble.acknowledging = false;
    await inbox.look();
    expect(inbox.items).toEqual([]);
    expect((await inbox.endOf(id))?.id).toBe(result?.id);
  });

  it('is dropped where it has no such task, and keeps nothing waiting', async () => {
    const inbox = await open();
    const [task, other] = [await inbox.begin(), await inbox.begin()];
    inbox.items.push(
      await inbox.itemOf(sampleIds.next('task'), finalPayload()),
      await inbox.itemOf(task.id, finalPayload(), { toolName: 'Other' }),
      await inbox.itemOf(other.id, finalPayload('taken')),
    );
    await inbox.look();
    expect(inbox.items).toEqual([]);
    expect(await inbox.endOf(task.id)).toBeNull();
    expect((await inbox.endOf(other.id))?.data).toEqual({ text: 'taken' });
    expect(inbox.events().filter(([event]) => event === 'inbox.item-dropped')).toEqual([
      ['inbox.item-dropped', 'unknown-task'],
      ['inbox.item-dropped', 'unknown-task'],
    ]);
  });

  it('ends its task where a resource of it is larger than one may be here', async () => {
    const inbox = await open({ resourceBytes: 100 });
    const { id } = await inbox.begin();
    const resource = {
      id: sampleIds.next('resource'),
      sha256: 'a'.repeat(64),
      sizeBytes: 101,
      kind: 'image' as const,
      mimeType: 'image/png',
      fileName: 'a.png',
    };
    const payload = { ...finalPayload(), resources: [{ id: 'p', resourceId: resource.id }] };
    inbox.items.push(await inbox.itemOf(id, payload, { resources: [resource] }));
    await inbox.look();
    expect(await inbox.endOf(id)).toMatchObject({ status: 'error', error: { code: 'RESOURCE_TOO_LARGE' } });
    expect(inbox.asked).not.toContain(`/v1/inbox/blobs/${resource.sha256}`);
  });

  it('is left, and told once, where this version cannot read it', async () => {
    const inbox = await open();
    const { id } = await inbox.begin();
    inbox.items.push({ id: 'inb_0', kind: 'of the future' }, await inbox.itemOf(id, finalPayload('taken')));
    expect(await inbox.look()).toBe(false);
    expect(await inbox.look()).toBe(false);
    expect(inbox.items).toHaveLength(1);
    expect((await inbox.endOf(id))?.data).toEqual({ text: 'taken' });
    expect(inbox.events().filter(([event]) => event === 'inbox.item-not-taken')).toHaveLength(1);
  });
});

describe('an item whose bytes lie with the receiver', () => {
  const withPicture = async (limits = {}) => {
    const inbox = await open(limits);
    const { id } = await inbox.begin();
    const bytes = new Uint8Array(MAGIC.png);
    const resource = {
      id: sampleIds.next('resource'),
      sha256: await sha256Of(bytes),
      sizeBytes: bytes.length,
      kind: 'image' as const,
      mimeType: 'image/png',
      fileName: 'picture.png',
    };
    const payload = finalPayload('with a picture', { resources: [{ id: 'p', resourceId: resource.id }] });
    inbox.items.push(await inbox.itemOf(id, payload, { resources: [resource] }));
    return { ...inbox, id, bytes, resource };
  };

  it('brings them, and is described by them', async () => {
    const inbox = await withPicture();
    inbox.blobs.set(inbox.resource.sha256, inbox.bytes);
    await inbox.look();
    expect(await inbox.endOf(inbox.id)).toMatchObject({
      data: { text: 'with a picture' },
      resources: [
        {
          mimeType: 'image/png',
          fileName: 'picture.png',
          sha256: inbox.resource.sha256,
          dimensions: { width: 3, height: 2 },
          access: { type: 'managed' },
        },
      ],
    });
    // The id that the receiver gave is not one of this server.
    expect((await inbox.endOf(inbox.id))?.resources[0]?.id).not.toBe(inbox.resource.id);
  });

  it('asks for none that are here already', async () => {
    const inbox = await withPicture();
    await inbox.finishing.resources.store.put(inbox.bytes, { maxBytes: 1_000 });
    await inbox.look();
    expect((await inbox.endOf(inbox.id))?.resources).toHaveLength(1);
    expect(inbox.asked.filter((path) => path.includes('blobs'))).toEqual([]);
  });

  it.each([
    ['that are others', (bytes: Uint8Array<ArrayBuffer>) => bytes.map((byte) => byte ^ 1)],
    ['that are too many', (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array([...bytes, 0])],
    ['that broke off', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(1)],
  ])('refuses bytes %s, waits longer and longer, and takes the right ones', async (_what, change) => {
    const inbox = await withPicture();
    const asked = () => inbox.asked.filter((path) => path.includes('blobs')).length;
    inbox.blobs.set(inbox.resource.sha256, change(inbox.bytes));
    expect(await inbox.look()).toBe(false);
    expect([await inbox.endOf(inbox.id), asked()]).toEqual([null, 1]);
    inbox.pass(4_999);
    await inbox.look();
    expect(asked()).toBe(1);
    inbox.pass(1);
    await inbox.look();
    expect(asked()).toBe(2);
    inbox.pass(9_999);
    await inbox.look();
    expect(asked()).toBe(2);
    expect(inbox.events().filter(([event]) => event === 'inbox.item-not-taken')).toHaveLength(1);
    expect(await inbox.finishing.resources.store.stat(inbox.resource.sha256)).toBeNull();
    inbox.blobs.set(inbox.resource.sha256, inbox.bytes);
    inbox.pass(1);
    expect(await inbox.look()).toBe(true);
    expect((await inbox.endOf(inbox.id))?.resources).toHaveLength(1);
  });

  it('waits for bytes that stop coming no longer than for an answer, and others need not wait for that', async () => {
    const inbox = await withPicture({ inboxRequestMs: 200 });
    inbox.blobs.set(inbox.resource.sha256, inbox.bytes);
    inbox.trouble.stalls = true;
    const other = await inbox.begin();
    inbox.items.push(await inbox.itemOf(other.id, finalPayload('other')));
    const looking = inbox.look();
    while ((await inbox.endOf(other.id)) === null) await new Promise((done) => setTimeout(done, 5));
    expect(inbox.items).toHaveLength(2);
    expect(await looking).toBe(false);
    expect(inbox.items).toHaveLength(1);
    inbox.trouble.stalls = false;
    inbox.pass(DEFAULT_LIMITS.inboxLookMs);
    expect(await inbox.look()).toBe(true);
    expect((await inbox.endOf(inbox.id))?.resources).toHaveLength(1);
  });

  it('says what is too large for an item by a blob too', async () => {
    const inbox = await open();
    const [task, broken] = [await inbox.begin(), await inbox.begin()];
    const textOf = async (text: string) => {
      const bytes = new TextEncoder().encode(text);
      const contentBlob = { sha256: await sha256Of(bytes), sizeBytes: bytes.length };
      inbox.blobs.set(contentBlob.sha256, bytes);
      return { content: null, contentBlob };
    };
    inbox.items.push(
      sampleInboxItem({ taskId: task.id, ...(await textOf(JSON.stringify(finalPayload('large')))) }),
      sampleInboxItem({ taskId: broken.id, ...(await textOf('[')) }),
    );
    await inbox.look();
    expect((await inbox.endOf(task.id))?.data).toEqual({ text: 'large' });
    expect(await inbox.endOf(broken.id)).toMatchObject({ status: 'error', error: { code: 'INVALID_TOOL_RESULT' } });
  });

  it('keeps what belongs to its task waiting, and nothing else', async () => {
    const inbox = await withPicture();
    const other = await inbox.begin();
    inbox.items.push(await inbox.itemOf(inbox.id, finalPayload('later')));
    inbox.items.push(await inbox.itemOf(other.id, finalPayload('other')));
    await inbox.look();
    expect((await inbox.endOf(other.id))?.data).toEqual({ text: 'other' });
    expect(await inbox.endOf(inbox.id)).toBeNull();
    expect(inbox.items).toHaveLength(2);
    // When the task has ended otherwise, the item asks for no bytes any more.
    await inbox.tasks.cancel(inbox.id);
    inbox.pass(DEFAULT_LIMITS.inboxLookMs);
    const before = inbox.asked.filter((path) => path.includes('blobs')).length;
    expect(await inbox.look()).toBe(true);
    expect(inbox.asked.filter((path) => path.includes('blobs'))).toHaveLength(before);
    expect(inbox.items).toEqual([]);
  });
});
