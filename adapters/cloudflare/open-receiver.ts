import { collectInbox } from '../../src/inbox/collect-inbox.ts';
import { createInboxCallbacks } from '../../src/inbox/inbox-callbacks.ts';
import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import { createReceiverApp } from '../../src/server/create-receiver-app.ts';
import { createTaskTokenVerifier } from '../../src/task/task-token-verifier.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { openD1Database } from '../d1/d1-database.ts';
import { createR2ResourceStore } from '../r2/r2-resource-store.ts';
import { createSqlInboxStore } from '../sql/sql-inbox-store.ts';
import { openWorkerEvents } from './events/open-worker-events.ts';
import { createWorkerGuardedFetch } from './guarded-fetch.ts';
import type { ReceiverConfiguration } from './read-receiver-configuration.ts';
import { newHash } from './running-hash.ts';
import { storeChecks } from './store-checks.ts';
import { workerConnections } from './worker-connections.ts';
import type { OpenWorkerOptions, WorkerServer } from './worker-life.ts';

export type ReceiverOptions = OpenWorkerOptions<ReceiverConfiguration> & { readonly version: string };

/** Puts a receiver together for Workers: no plugins, no calls, no results. */
export const openReceiver = async (options: ReceiverOptions): Promise<WorkerServer> => {
  const { bindings, version, clock, logger } = options;
  const { configuration, limits, apiKey, keys, publicKeys } = options.configuration;
  const authenticator = createKeysAuthenticator(apiKey, { current: () => keys }, clock);
  const { events, eventPush, within } = openWorkerEvents({
    objects: bindings.EVENTS ?? null,
    identities: authenticator,
    limits,
    logger,
  });
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
    inbox,
    blobs,
    receiver: createInboxCallbacks({ inbox, resources, ids, clock, events, limits }),
    tokens: createTaskTokenVerifier({ publicKeys, now: clock.now }),
    authenticator,
    eventPush,
    corsOrigins: () => configuration.VCP_CORS_ORIGINS,
    callbackUrlTokens: () => configuration.VCP_CALLBACK_URL_TOKENS === 'true',
    connections: workerConnections,
    readinessChecks: storeChecks(db, bindings.RESOURCES),
    clock,
    ids,
    limits,
    logger,
    version,
  });
  return {
    app,
    within,
    upkeep: () => collectInbox({ inbox, blobs, clock, logger, limits }),
    // Nothing here says where it is reached.
    hasAddress: true,
  };
};
