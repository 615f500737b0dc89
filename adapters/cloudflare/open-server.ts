import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { createResourceAddresses } from '../../src/lib/resource-addresses.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import { redactText } from '../../src/policy/sensitive-text.ts';
import { NO_APPROVAL_RULES } from '../../src/ports/approval-rules.ts';
import { createLiveRegistry } from '../../src/registry/tool-registry.ts';
import { createBuiltInTools } from '../../src/runtime/built-in/built-in-tools.ts';
import { resultReader } from '../../src/runtime/built-in/result-reader.ts';
import { collectGarbage } from '../../src/runtime/collect-garbage.ts';
import { createPluginService } from '../../src/runtime/plugin-service.ts';
import { createTaskApprovals } from '../../src/runtime/task-approvals.ts';
import { createCallbackAddresses } from '../../src/runtime/tasks/callback-addresses.ts';
import { createTaskService } from '../../src/runtime/tasks/task-service.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';
import { createToolRuntime } from '../../src/runtime/tool-runtime.ts';
import type { ServerDocuments } from '../../src/server/app-environment.ts';
import { createCallerRights } from '../../src/server/caller-rights.ts';
import { createApp } from '../../src/server/create-app.ts';
import { createDirectTransport } from '../../src/transport/direct/direct-transport.ts';
import { createWasmTransport } from '../../src/transport/wasm/wasm-transport.ts';
import { openD1Database } from '../d1/d1-database.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { createR2ResourceStore } from '../r2/r2-resource-store.ts';
import { createSqlCallStore } from '../sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../sql/sql-idempotency-store.ts';
import { createSqlPluginKvStore } from '../sql/sql-plugin-kv-store.ts';
import { createSqlApprovalStore } from '../sql/sql-approval-store.ts';
import { createSqlTaskStore } from '../sql/sql-task-store.ts';
import { openDeployedPlugins, type DeployedPlugin } from './deployed-plugins.ts';
import { createWorkerGuardedFetch } from './guarded-fetch.ts';
import { createIsolateSandbox } from './isolate-sandbox.ts';
import { linkGuest } from './link-guest.ts';
import { deployedSwitches } from './deployed-switches.ts';
import type { WorkerConfiguration } from './read-worker-configuration.ts';
import { newHash } from './running-hash.ts';
import { storeChecks } from './store-checks.ts';
import { workerConnections } from './worker-connections.ts';
import type { OpenWorkerOptions, WorkerServer } from './worker-life.ts';

export type WorkerServerOptions = OpenWorkerOptions<WorkerConfiguration> & {
  readonly plugins: readonly DeployedPlugin[];
  readonly documents: ServerDocuments;
  readonly version: string;
};

/** Puts the parts together for Workers. Nothing here waits for the network: that belongs to the request that needs it. */
export const openWorkerServer = async (options: WorkerServerOptions): Promise<WorkerServer> => {
  const { bindings, plugins: deployed, documents, version, clock, logger } = options;
  const { configuration, limits, apiKey, signingKeys, keys } = options.configuration;
  const { db, writer } = openD1Database(bindings.DATABASE);
  const calls = createSqlCallStore(db, writer);
  const blobs = createR2ResourceStore({ bucket: bindings.RESOURCES, newHash, newName: () => crypto.randomUUID() });
  const ids = createUlidIds(clock.now);
  const baseUrl = () => configuration.VCP_PUBLIC_URL?.replace(/\/$/, '') ?? options.origin();
  const addresses = createResourceAddresses({ baseUrl, secrets: signingKeys, limits, now: clock.now });
  const guardedFetch = createWorkerGuardedFetch({
    fetch: (url, init) => fetch(url, init),
    allowed: configuration.VCP_OPEN_NETWORKS.flatMap((text) => parseAddressRange(text) ?? []),
  });

  const { source, modules, loader, configurationOf } = openDeployedPlugins(deployed);
  const builtIn = createBuiltInTools([resultReader({ calls, knownPaths: [] })]);
  const transports = {
    direct: builtIn.carriedBy(createDirectTransport(loader, limits)),
    wasm: createWasmTransport({
      sandbox: createIsolateSandbox({ limits, logger, createPlugin: linkGuest }),
      modules,
      limits,
      values: createSqlPluginKvStore(db, writer),
      logger,
      configurationOf,
      fetch: guardedFetch,
      now: clock.now,
      redact: (text) => redactText(text, [])?.text ?? text,
      timeZone: configuration.VCP_TIMEZONE ?? 'UTC',
      seed: () => crypto.getRandomValues(new Uint32Array(1))[0] as number,
    }),
  };
  const registry = createLiveRegistry();
  const plugins = createPluginService({
    registry,
    source: builtIn.before(source),
    switches: deployedSwitches,
    transports,
    clock,
    logger,
  });
  await plugins.reload();

  // Nobody listens here; the log has the progress of every call.
  const events = { emit: () => undefined };
  const serverId = configuration.VCP_SERVER_ID;
  const tokens = createTaskTokens({ secrets: signingKeys, now: clock.now });
  const approvals = createSqlApprovalStore(db, writer);
  const tasks = createTaskService({
    store: createSqlTaskStore(db, writer),
    approvals: createTaskApprovals({ approvals, clock, events, logger }),
    calls,
    clock,
    ids,
    events,
    logger,
    limits,
    manifestOf: (name) => registry.get(name)?.manifest ?? null,
    serverId,
    knownPaths: [],
  });
  const authenticator = createKeysAuthenticator(apiKey, { current: () => keys }, clock);
  const resources = { store: blobs, files: null, fetch: guardedFetch, ids, limits, urlOf: addresses.urlOf };
  const runtime = createToolRuntime({
    registry,
    transports,
    resources,
    approvals,
    approvalRules: NO_APPROVAL_RULES,
    rights: createCallerRights(authenticator),
    tasks,
    callbacks: createCallbackAddresses({ baseUrl, tokens, limits }),
    addresses,
    calls,
    keys: createSqlIdempotencyStore(db, writer),
    workspace: { directoryFor: () => Promise.resolve(null), release: () => Promise.resolve() },
    clock,
    pause: { sleep, random: Math.random },
    ids,
    events,
    logger,
    limits,
    serverId,
    knownPaths: [],
  });
  const app = createApp({
    runtime,
    registry,
    plugins,
    calls,
    approvals,
    tasks,
    tokens,
    finishing: { tasks, calls, resources, clock, limits },
    callbackUrlTokens: () => configuration.VCP_CALLBACK_URL_TOKENS === 'true',
    blobs,
    addresses,
    authenticator,
    clock,
    ids,
    logger,
    limits,
    documents,
    version,
    knownPaths: [],
    corsOrigins: () => configuration.VCP_CORS_ORIGINS,
    isReady: () => true,
    connections: workerConnections,
    readinessChecks: storeChecks(db, bindings.RESOURCES),
  });
  return {
    app,
    collect: async () => {
      await tasks.sweep();
      await runtime.approvals.attend();
      await collectGarbage({ calls, tasks, blobs, clock, logger, limits });
    },
  };
};
