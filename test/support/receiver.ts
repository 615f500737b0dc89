import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryResourceStore } from '../../adapters/memory/memory-resource-store.ts';
import { createSqlInboxStore } from '../../adapters/sql/sql-inbox-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { collectInbox } from '../../src/inbox/collect-inbox.ts';
import { createInboxCallbacks } from '../../src/inbox/inbox-callbacks.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { Identity, Role } from '../../src/ports/authenticator.ts';
import type { EventAddress, NewEvent } from '../../src/ports/event-sink.ts';
import type { GuardedFetch } from '../../src/ports/guarded-fetch.ts';
import type { InboxPage } from '../../src/protocol/inbox.ts';
import { createReceiverApp } from '../../src/server/create-receiver-app.ts';
import type { EventPush } from '../../src/server/push/event-push.ts';
import { createTaskTokenVerifier } from '../../src/task/task-token-verifier.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';
import { silentLogger } from './silent-logger.ts';

export type ReceiverSetup = {
  readonly limits?: Partial<Limits>;
  readonly fetch?: GuardedFetch;
  readonly urlTokens?: boolean;
  readonly eventPush?: EventPush;
};

const identity = (id: string, role: Role): Identity => ({ id, name: id, roles: new Set([role]), tools: null });
const KEYS: Readonly<Record<string, Identity>> = {
  operator: identity('operator', 'operator'),
  human: identity('human', 'human'),
};

/** A receiver over a real database, whose clock a test moves. */
export const createTestReceiver = async (setup: ReceiverSetup = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-receiver-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  const limits: Limits = { ...DEFAULT_LIMITS, ...setup.limits };
  let now = Date.now();
  const clock = { now: () => now, monotonic: () => now };
  const inbox = createSqlInboxStore(db, writer);
  const blobs = createMemoryResourceStore(clock.now);
  const ids = createUlidIds(clock.now);
  const emitted: (NewEvent & EventAddress)[] = [];
  const tokens = createTaskTokens({ secrets: ['a secret of the server'], now: clock.now });
  const resources = { store: blobs, files: null, fetch: setup.fetch ?? null, ids, limits, urlOf: () => '' };
  const app = createReceiverApp({
    inbox,
    blobs,
    receiver: createInboxCallbacks({
      inbox,
      resources,
      ids,
      clock,
      limits,
      events: { emit: (event, address) => void emitted.push({ ...event, ...address }) },
    }),
    tokens: createTaskTokenVerifier({ publicKeys: await tokens.publicKeys(), now: clock.now }),
    authenticator: { authenticate: (key) => KEYS[key] ?? null },
    callbackUrlTokens: () => setup.urlTokens ?? false,
    connections: { clientAddress: () => null, clientGone: () => null },
    readinessChecks: [],
    clock,
    ids,
    limits,
    logger: silentLogger,
    version: '0.0.0',
    eventPush: setup.eventPush ?? null,
    corsOrigins: () => [],
  });
  let sent = 0;
  const ask = (path: string, init: RequestInit = {}, key = 'operator') =>
    app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, ...(init.headers as object) } });
  return {
    app,
    ask,
    inbox,
    blobs,
    ids,
    tokens,
    emitted,
    limits,
    clock,
    pass: (ms: number) => void (now += ms),
    collect: () => collectInbox({ inbox, blobs, clock, limits, logger: silentLogger }),
    list: async () => (await (await ask('/v1/inbox')).json()) as InboxPage,
    acknowledge: (...items: string[]) =>
      ask('/v1/inbox/acknowledgements', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: items }),
      }),
    /** Calls back for a task of the tool Sample; `said` is `{result}` or `{progress}`. */
    send: async (taskId: string, said: object, id = `msg_${(sent += 1)}`, tokenMs = 60_000): Promise<Response> =>
      app.request(`/plugin-callback/Sample/${taskId}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `VCP-Plugin ${await tokens.sign({ toolName: 'Sample', taskId }, now + tokenMs)}`,
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now / 1_000)),
        },
        body: JSON.stringify({ protocol: { name: 'vcp.tool-result-callback', version: '1.0' }, taskId, ...said }),
      }),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
