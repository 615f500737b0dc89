import { env } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createReceiver } from '../../adapters/cloudflare/create-receiver.ts';
import type { EventObjects, SentEvent } from '../../adapters/cloudflare/events/event-stub.ts';
import { readReceiverConfiguration } from '../../adapters/cloudflare/read-receiver-configuration.ts';
import type { InboxPage } from '../../src/protocol/inbox.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';
import { finalPayload } from '../support/async-tool.ts';
import { sampleIds } from '../support/sample-calls.ts';
import { base64Of } from '../support/sample-values.ts';

const KEY = 'a-key-for-the-inbox';
const tokens = createTaskTokens({ secrets: ['a secret of the server'], now: () => Date.now() });
const context = { waitUntil: () => undefined };

const open = async (variables: Record<string, string> = {}, events?: EventObjects) => {
  const receiver = createReceiver({ version: '9.9.9', ...context });
  const bindings = {
    VCP_API_KEY: KEY,
    VCP_TASK_PUBLIC_KEYS: JSON.stringify(await tokens.publicKeys()),
    VCP_LOG_LEVEL: 'error',
    ...variables,
    RESOURCES: env.RESOURCES,
    DATABASE: env.DATABASE,
    ...(events === undefined ? {} : { EVENTS: events }),
  };
  const fetch = (path: string, init: RequestInit = {}) =>
    receiver.fetch(
      new Request(`https://edge.example${path}`, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...init.headers },
      }),
      bindings,
      context,
    );
  const send = async (taskId: string, result: object) =>
    fetch(`/plugin-callback/Sample/${taskId}`, {
      method: 'POST',
      headers: {
        authorization: `VCP-Plugin ${await tokens.sign({ toolName: 'Sample', taskId }, Date.now() + 60_000)}`,
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      },
      body: JSON.stringify({ protocol: { name: 'vcp.tool-result-callback', version: '1.0' }, taskId, result }),
    });
  const inbox = async () => (await (await fetch('/v1/inbox')).json()) as InboxPage;
  return { fetch, send, inbox, collect: () => receiver.scheduled({}, bindings, context) };
};

describe('a receiver', () => {
  it('keeps a callback with its bytes through collections, until it was acknowledged and has had its time', async () => {
    const receiver = await open({ VCP_LIMIT_INBOX_MS: '1' });
    const resources = [{ id: 'a', base64: base64Of([1, 2, 3]) }];
    expect((await receiver.send(sampleIds.next('task'), finalPayload('x', { resources }))).status).toBe(200);
    await receiver.collect();
    const [item] = (await receiver.inbox()).items;
    const bytes = await receiver.fetch(`/v1/inbox/blobs/${item?.resources[0]?.sha256}`);
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
    const body = JSON.stringify({ ids: [item?.id] });
    await receiver.fetch('/v1/inbox/acknowledgements', { method: 'POST', body });
    await new Promise((done) => setTimeout(done, 20));
    await receiver.collect();
    expect((await receiver.inbox()).items).toEqual([]);
    expect((await receiver.fetch(`/v1/inbox/blobs/${item?.resources[0]?.sha256}`)).status).toBe(404);
  });

  it('takes one of many that come at once', async () => {
    const receiver = await open();
    const id = sampleIds.next('task');
    const answers = await Promise.all(Array.from({ length: 8 }, () => receiver.send(id, finalPayload('same'))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const others = await Promise.all([1, 2, 3].map((index) => receiver.send(id, finalPayload(`other ${index}`))));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([409]));
    expect((await receiver.inbox()).items.filter(({ taskId }) => taskId === id)).toHaveLength(1);
  });

  it('tells the object of events, where one is bound, and lets clients in to it', async () => {
    const sent: SentEvent[] = [];
    const receiver = await open(
      {},
      {
        idFromName: (name) => name,
        get: (id) => ({
          publish: async (events) => void sent.push(...events),
          issueTicket: async () => null,
          redeemTicket: async () => null,
          fetch: async () => new Response(`from ${String(id)}`),
        }),
      },
    );
    const id = sampleIds.next('task');
    await receiver.send(id, finalPayload());
    expect(sent.map(({ event }) => event)).toMatchObject([{ type: 'task', taskId: id, data: { state: 'completed' } }]);
    expect(await (await receiver.fetch('/v1/events')).text()).toBe('from events');
    expect((await receiver.fetch('/v1/events', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await (await open()).fetch('/v1/events')).status).toBe(501);
  });

  it('is ready when its stores are, and serves nothing else', async () => {
    const receiver = await open();
    expect(await (await receiver.fetch('/readyz')).json()).toMatchObject({
      ready: true,
      checks: [{ name: 'database' }, { name: 'resources' }],
    });
    expect(await (await receiver.fetch('/version')).json()).toMatchObject({ version: '9.9.9' });
    expect((await receiver.fetch('/v1/human/tool', { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('answers nothing without its key and the public keys, and takes no private one', async () => {
    expect(readReceiverConfiguration({})).toMatchObject({
      ok: false,
      errors: [{ name: 'VCP_API_KEY' }, { name: 'VCP_TASK_PUBLIC_KEYS' }],
    });
    const [key] = await tokens.publicKeys();
    for (const wrong of [
      '[]',
      '{',
      JSON.stringify([{ ...key, d: 'x' }]),
      JSON.stringify([{ ...key, crv: 'X25519' }]),
    ]) {
      expect(readReceiverConfiguration({ VCP_API_KEY: KEY, VCP_TASK_PUBLIC_KEYS: wrong })).toMatchObject({
        errors: [{ name: 'VCP_TASK_PUBLIC_KEYS' }],
      });
      const receiver = await open({ VCP_TASK_PUBLIC_KEYS: wrong });
      expect((await receiver.fetch('/version')).status).toBe(503);
    }
  });
});
