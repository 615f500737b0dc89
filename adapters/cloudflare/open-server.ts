import { createCallLater } from '../../src/chat/call-later.ts';
import { createResourceAddresses } from '../../src/lib/resource-addresses.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { redactText } from '../../src/policy/sensitive-text.ts';
import { NO_APPROVAL_RULES } from '../../src/ports/approval-rules.ts';
import { createLiveRegistry } from '../../src/registry/tool-registry.ts';
import { createBuiltInTools } from '../../src/runtime/built-in/built-in-tools.ts';
import { resultReader } from '../../src/runtime/built-in/result-reader.ts';
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
import { createSqlCallStore } from '../sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../sql/sql-idempotency-store.ts';
import { createSqlPluginKvStore } from '../sql/sql-plugin-kv-store.ts';
import { createSqlApprovalStore } from '../sql/sql-approval-store.ts';
import { createSqlScheduleStore } from '../sql/sql-schedule-store.ts';
import { createSqlTaskStore } from '../sql/sql-task-store.ts';
import { variablesOf } from './bindings.ts';
import { openDeployedPlugins, type DeployedPlugin } from './deployed-plugins.ts';
import { createIsolateSandbox } from './isolate-sandbox.ts';
import { linkGuest } from './link-guest.ts';
import { deployedSwitches } from './deployed-switches.ts';
import { openWorkerChat } from './open-worker-chat.ts';
import { openParts } from './open-parts.ts';
import { openScheduling } from './open-scheduling.ts';
import type { WorkerConfiguration } from './read-worker-configuration.ts';
import { createUpkeep } from './upkeep.ts';
import { workerConnections } from './worker-connections.ts';
import type { OpenWorkerOptions, WorkerServer } from './worker-life.ts';

export type WorkerServerOptions = OpenWorkerOptions<WorkerConfiguration> & {
  readonly plugins: readonly DeployedPlugin[];
  readonly documents: ServerDocuments;
  readonly version: string;
};

/** Puts the parts together for Workers. Nothing here waits for the network: that belongs to the request that needs it. */
export const openWorkerServer = async (options: WorkerServerOptions): Promise<WorkerServer> => {
  const { bindings, plugins: deployed, documents, version, clock, logger, keepAlive } = options;
  const { configuration, limits, signingKeys } = options.configuration;
  const { db, writer, blobs, ids, authenticator, events, eventPush, within, guardedFetch, readinessChecks } =
    openParts(options);
  const calls = createSqlCallStore(db, writer);
  const baseUrl = () => configuration.VCP_PUBLIC_URL?.replace(/\/$/, '') ?? options.origin();
  const addresses = createResourceAddresses({ baseUrl, secrets: signingKeys, limits, now: clock.now });

  const { source, modules, loader, configurationOf } = openDeployedPlugins(deployed);
  const registry = createLiveRegistry();
  const rights = createCallerRights(authenticator);
  const timeZone = configuration.VCP_TIMEZONE ?? 'UTC';
  const scheduling = openScheduling({
    schedules: createSqlScheduleStore(db, writer),
    registry,
    rights,
    events,
    clock,
    ids,
    logger,
    limits,
    timeZone,
  });
  const builtIn = createBuiltInTools([resultReader({ calls, knownPaths: [] }), scheduling.tool]);
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
      timeZone,
      seed: () => crypto.getRandomValues(new Uint32Array(1))[0] as number,
    }),
  };
  const plugins = createPluginService({
    registry,
    source: builtIn.before(source),
    switches: deployedSwitches,
    transports,
    clock,
    logger,
  });
  await plugins.reload();

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
  const resources = { store: blobs, files: null, fetch: guardedFetch, ids, limits, urlOf: addresses.urlOf };
  const runtimeParts = {
    registry,
    transports,
    resources,
    approvals,
    approvalRules: NO_APPROVAL_RULES,
    rights,
    tasks,
    callbacks: createCallbackAddresses({
      baseUrl: () => configuration.VCP_CALLBACK_URL?.replace(/\/+$/, '') ?? baseUrl(),
      tokens,
      limits,
    }),
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
    keepAlive,
  };
  const runtime = createToolRuntime(runtimeParts);
  const chat = openWorkerChat({
    configuration,
    variables: variablesOf(bindings),
    bucket: bindings.RESOURCES,
    runtime,
    runtimeParts,
    registry,
    callLater: createCallLater(scheduling.service, configuration.VCP_TIMEZONE ?? 'UTC'),
  });
  const app = createApp({
    ...(chat.service === null ? {} : { chat: chat.service }),
    ...(chat.passThrough === null ? {} : { passThrough: chat.passThrough }),
    runtime,
    registry,
    plugins,
    calls,
    schedules: scheduling.service,
    approvals,
    tasks,
    tokens,
    finishing: { tasks, calls, resources, clock, limits },
    callbackUrlTokens: () => configuration.VCP_CALLBACK_URL_TOKENS === 'true',
    blobs,
    addresses,
    authenticator,
    ...(eventPush === null ? {} : { eventPush }),
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
    readinessChecks,
  });
  return {
    app,
    within,
    upkeep: createUpkeep({ scheduling, runtime, tasks, calls, blobs, clock, logger, limits, serverId }),
    hasAddress: configuration.VCP_PUBLIC_URL !== undefined,
  };
};
