import { collectInbox } from '../../src/inbox/collect-inbox.ts';
import { createInboxCallbacks } from '../../src/inbox/inbox-callbacks.ts';
import { createReceiverApp } from '../../src/server/create-receiver-app.ts';
import { createTaskTokenVerifier } from '../../src/task/task-token-verifier.ts';
import { createSqlInboxStore } from '../sql/sql-inbox-store.ts';
import { openParts } from './open-parts.ts';
import type { ReceiverConfiguration } from './read-receiver-configuration.ts';
import { workerConnections } from './worker-connections.ts';
import type { OpenWorkerOptions, WorkerServer } from './worker-life.ts';

export type ReceiverOptions = OpenWorkerOptions<ReceiverConfiguration> & { readonly version: string };

/** Puts a receiver together for Workers: no plugins, no calls, no results. */
export const openReceiver = async (options: ReceiverOptions): Promise<WorkerServer> => {
  const { version, clock, logger } = options;
  const { configuration, limits, publicKeys } = options.configuration;
  const { db, writer, blobs, ids, authenticator, events, eventPush, within, guardedFetch, readinessChecks } =
    openParts(options);
  const inbox = createSqlInboxStore(db, writer);
  const resources = {
    store: blobs,
    files: null,
    fetch: guardedFetch,
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
    readinessChecks,
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
