// Two keys and an operator on one server, over a real socket: everyone sees what is theirs.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryScheduleStore } from '../../adapters/memory/memory-schedule-store.ts';
import { nodeConnections } from '../../adapters/node/node-connections.ts';
import type { Authenticator, Role } from '../../src/ports/authenticator.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { createScheduleService } from '../../src/runtime/scheduling/schedule-service.ts';
import { createCallerRights } from '../../src/server/caller-rights.ts';
import { createApp } from '../../src/server/create-app.ts';
import { ECHO } from '../support/call-expectations.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { openNodeRuntime, type NodeRuntime } from '../support/node-runtime.ts';

const keys: Record<string, { id: string; roles: Role[]; tools: string[] | null }> = {
  'ada-key': { id: 'key_ada', roles: ['human'], tools: null },
  'bob-key': { id: 'key_bob', roles: ['human'], tools: ['Files'] },
  'ops-key': { id: 'key_ops', roles: ['operator'], tools: null },
};
const authenticator: Authenticator = {
  authenticate: (key) => {
    const found = keys[key];
    return found === undefined
      ? null
      : {
          id: found.id,
          name: found.id,
          roles: new Set(found.roles),
          tools: found.tools === null ? null : new Set(found.tools),
        };
  },
};

let host: NodeRuntime;
let server: Server;
let url: string;
beforeAll(async () => {
  host = await openNodeRuntime([ECHO, { name: 'Files', command: 'node', args: ['resources.mjs'] }], {
    store: 'sqlite',
  });
  const app = createApp({
    ...host,
    schedules: createScheduleService({
      ...host,
      schedules: createMemoryScheduleStore(),
      rights: createCallerRights({ identify: () => null }),
      events: { emit: () => undefined },
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      logger: silentLogger,
      timeZone: 'UTC',
    }),
    callbackUrlTokens: () => false,
    authenticator,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger: silentLogger,
    documents: { load: () => ({ openapi: {}, schemas: new Map() }) },
    version: '0.0.0',
    knownPaths: [host.dataDirectory],
    corsOrigins: () => [],
    isReady: () => true,
    connections: nodeConnections,
  });
  server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await host.close();
});

const as = (key: string, path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
const call = async (key: string, tool: string, args: object = {}) =>
  as(key, '/v1/human/tool', { method: 'POST', body: JSON.stringify({ tool, arguments: args }) });
const published = async (key: string) =>
  (await (await call(key, 'Files', { how: 'picture', secret: '/nowhere/x' })).json()) as CanonicalToolResult;

describe('what a call left behind', () => {
  it('is read by the key that made it and by an operator, and is not there for others', async () => {
    const result = await published('ada-key');
    const places = [
      `/v1/results/${result.id}`,
      `/v1/results/${result.id}?view=ai`,
      `/v1/records/${result.execution.recordId}`,
      `/v1/resources/${result.resources[0]!.id}`,
    ];
    for (const place of places) {
      expect({ place, status: (await as('ada-key', place)).status }).toEqual({ place, status: 200 });
      expect({ place, status: (await as('ops-key', place)).status }).toEqual({ place, status: 200 });
      const refused = await as('bob-key', place);
      const missing = await as('bob-key', place.replace(/_[0-9A-Z]{26}/, '_01ARZ3NDEKTSV4RRFFQ69G5FAV'));
      expect({ place, status: refused.status }).toEqual({ place, status: 404 });
      // Whether it exists is not told either.
      const shape = async (response: Response) => Object.keys((await response.json()) as object);
      expect(await shape(refused)).toEqual(await shape(missing));
    }
  });

  it('is listed for the key that made it, and for an operator', async () => {
    await published('ada-key');
    await published('bob-key');
    const owners = async (key: string) =>
      new Set(
        ((await (await as(key, '/v1/records')).json()) as { records: { owner: string }[] }).records.map(
          ({ owner }) => owner,
        ),
      );
    expect(await owners('ada-key')).toEqual(new Set(['key_ada']));
    expect(await owners('bob-key')).toEqual(new Set(['key_bob']));
    expect(await owners('ops-key')).toEqual(new Set(['key_ada', 'key_bob']));
  });

  it('has pages whose cursor shows nothing of others', async () => {
    for (let round = 0; round < 3; round += 1) await published(round % 2 === 0 ? 'ada-key' : 'bob-key');
    const first = (await (await as('ops-key', '/v1/records?limit=1')).json()) as { nextCursor: string };
    const { records } = (await (
      await as('bob-key', `/v1/records?cursor=${encodeURIComponent(first.nextCursor)}`)
    ).json()) as { records: { owner: string }[] };
    expect(new Set(records.map(({ owner }) => owner))).toEqual(new Set(['key_bob']));
    expect((await as('bob-key', '/v1/records?cursor=nonsense')).status).toBe(400);
  });
});

describe('a key with a list of tools', () => {
  it('calls those and no others', async () => {
    expect((await call('bob-key', 'Files', { how: 'picture', secret: '/x' })).status).toBe(200);
    const refused = await call('bob-key', 'Echo');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'FORBIDDEN' });
    expect((await call('bob-key', 'NoSuchTool')).status).toBe(403);
  });

  it('sees those and no others, and not why plugins were refused', async () => {
    const listing = (await (await as('bob-key', '/v1/tools?include=refused')).json()) as {
      tools: { name: string }[];
      refused?: unknown;
    };
    expect(listing.tools.map(({ name }) => name)).toEqual(['Files']);
    expect(listing.refused).toBeUndefined();
    expect((await as('bob-key', '/v1/tools/Echo')).status).toBe(404);
  });
});
