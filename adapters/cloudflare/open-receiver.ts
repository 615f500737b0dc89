import { collectInbox } from '../../src/inbox/collect-inbox.ts';
import { createInboxCallbacks } from '../../src/inbox/inbox-callbacks.ts';
import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { EventSink } from '../../src/ports/event-sink.ts';
import { createReceiverApp, type ReceiverDependencies } from '../../src/server/create-receiver-app.ts';
import { createTaskTokenVerifier } from '../../src/task/task-token-verifier.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { openD1Database } from '../d1/d1-database.ts';
import { createR2ResourceStore } from '../r2/r2-resource-store.ts';
import { createSqlInboxStore } from '../sql/sql-inbox-store.ts';
import { createWorkerGuardedFetch } from './guarded-fetch.ts';
import type { ReceiverConfiguration } from './read-receiver-configuration.ts';
import { newHash } from './running-hash.ts';
import { storeChecks } from './store-checks.ts';
import { workerConnections } from './worker-connections.ts';
import type { OpenWorkerOptions, WorkerServer } from './worker-life.ts';

/** How a receiver tells of what it takes, and serves those who listen. */
export type ReceiverPush = { readonly events: EventSink } & Pick<ReceiverDependencies, 'eventRoutes' | 'tickets'>;

type ReceiverParts = OpenWorkerOptions<ReceiverConfiguration>;

export type ReceiverOptions = {
  readonly version: string;
  /** Without it, nobody listens. */
  push?(parts: ReceiverParts): ReceiverPush;
};

/** Puts a receiver together for Workers: no plugins, no calls, no results. */
export const openReceiver = async (options: ReceiverOptions & ReceiverParts): Promise<WorkerServer> => {
  const { bindings, version, clock, logger } = options;
  const { configuration, limits, apiKey, keys, publicKeys } = options.configuration;
  const { events, ...listening } = options.push?.(options) ?? UNHEARD;
  const { db, writer } = openD1Database(bindings.DATABASE);
  const inbox = createSqlInboxStore(db, writer);
  const blobs = createR2ResourceStore({ bucket: bindings.RESOURCES, newHash, newName: () => crypto.randomUUID() });
  const ids = createUlidIds(clock.now);
  const resources = {
    store: blobs,
    files: null,
    fetch: createWorkerGuardedFetch({
      fetch: (url, init) => fetch(url, init),
      allowed: configuration.VCP_OPEN_NETWORKS.flatMap((text) => parseAddressRange(text) ?? []),
    }),
    ids,
    limits,
    // Where a resource is served, its server says.
    urlOf: () => '',
  };
  const app = createReceiverApp({
    ...listening,
    inbox,
    blobs,
    receiver: createInboxCallbacks({ inbox, resources, ids, clock, events, limits }),
    tokens: createTaskTokenVerifier({ publicKeys, now: clock.now }),
    authenticator: createKeysAuthenticator(apiKey, { current: () => keys }, clock),
    callbackUrlTokens: () => configuration.VCP_CALLBACK_URL_TOKENS === 'true',
    connections: workerConnections,
    readinessChecks: storeChecks(db, bindings.RESOURCES),
    clock,
    ids,
    limits,
    logger,
    version,
  });
  return { app, collect: () => collectInbox({ inbox, blobs, clock, logger, limits }) };
};

const UNHEARD: ReceiverPush = { events: { emit: () => undefined } };
