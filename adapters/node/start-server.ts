import type { AddressInfo } from 'node:net';
import { resolve, sep } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { trace } from '@opentelemetry/api';
import type { Server } from 'node:http';
import { sleep } from '../../src/lib/sleep.ts';
import { createEventHub } from '../../src/events/event-hub.ts';
import { withLogEvents } from '../../src/events/log-events.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { createResourceAddresses } from '../../src/lib/resource-addresses.ts';
import type { LanguageModel } from '../../src/ports/language-model.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { ToolRegistry } from '../../src/registry/tool-registry.ts';
import type { RequestProcessor } from '../../src/chat/create-request-processor.ts';
import type { PluginService } from '../../src/runtime/plugin-service.ts';
import { createBuiltInTools } from '../../src/runtime/built-in/built-in-tools.ts';
import { resultReader } from '../../src/runtime/built-in/result-reader.ts';
import type { VcpEvent } from '../../src/protocol/event.ts';
import { redactEvent } from '../../src/runtime/redact-event.ts';
import { createServiceHost } from '../../src/runtime/services/service-host.ts';
import { createCallLater } from '../../src/chat/call-later.ts';
import { createCallbackAddresses } from '../../src/runtime/tasks/callback-addresses.ts';
import { createTaskService } from '../../src/runtime/tasks/task-service.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';
import { createTaskApprovals } from '../../src/runtime/task-approvals.ts';
import { createToolRuntime } from '../../src/runtime/tool-runtime.ts';
import type { Configuration, LoadedConfiguration } from '../../src/server/configuration.ts';
import { createCallerRights } from '../../src/server/caller-rights.ts';
import { createRunningChats } from '../../src/server/chat/running-chats.ts';
import { createApp } from '../../src/server/create-app.ts';
import { openChat } from '../../src/server/chat/open-chat.ts';
import { createPushClients } from '../../src/server/push/push-clients.ts';
import { createLiveConfiguration } from '../../src/server/live-configuration.ts';
import { createDirectTransport } from '../../src/transport/direct/direct-transport.ts';
import { createFsResourceStore } from '../fs/fs-resource-store.ts';
import { createLocalFiles } from '../fs/local-files.ts';
import { makeDirectory } from '../fs/make-directory.ts';
import { createSqlApprovalStore } from '../sql/sql-approval-store.ts';
import { createSqlCallStore } from '../sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../sql/sql-idempotency-store.ts';
import { createSqlScheduleStore } from '../sql/sql-schedule-store.ts';
import { createSqlTaskStore } from '../sql/sql-task-store.ts';
import { createSqlPluginKvStore } from '../sql/sql-plugin-kv-store.ts';
import { openSqliteDatabase } from '../sqlite/sqlite-database.ts';
import { KEY_FILE, obtainApiKey } from './api-key.ts';
import { approvalRulesFileOf, openApprovalRules } from './approval-rules-file.ts';
import { attendRegularly } from './attend-regularly.ts';
import { bundledPlugins } from './bundled-plugins.ts';
import { createCallWorkspace } from './call-workspace.ts';
import { collectRegularly } from './collect-regularly.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { keysFileOf, openKeysFile } from './keys-file.ts';
import { nodeConnections } from './node-connections.ts';
import { observeServer } from './observe-server.ts';
import { createPrometheusMetrics } from './prometheus-metrics.ts';
import { nodeReadinessChecks } from './readiness-checks.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';
import { openInbox } from './open-inbox.ts';
import { openRequestProcessor } from './open-request-processor.ts';
import { openScheduling } from './open-scheduling.ts';
import { openPlugins } from './plugins/open-plugins.ts';
import { readServerDocuments } from './server-documents.ts';
import { obtainSigningKeys, SIGNING_KEY_FILE } from './signing-keys.ts';
import { createStdioTransport } from './stdio/stdio-transport.ts';
import { createSocketServer, isSocketRequest, nodeUpgradeSocket } from './upgrade-socket.ts';
import { sweepTasksRegularly } from './sweep-tasks-regularly.ts';
import { createWasmModuleSource } from './wasm/module-source.ts';
import { createWorkerSandbox } from './wasm/worker-sandbox.ts';
import { openWasmHost } from './wasm-host.ts';

export type RunningServer = {
  /** Where it listens, such as `http://127.0.0.1:6005`. */
  readonly url: string;
  readonly apiKey: string;
  /** Whether that key opens the server; an operator may have switched it off in the keys file. */
  readonly opensWithApiKey: boolean;
  readonly registry: ToolRegistry;
  readonly plugins: PluginService;
  /** Prepares chat requests for their models. */
  readonly requestProcessor: RequestProcessor;
  /** Takes no new calls, lets running ones end within the configured time, then ends them and closes the stores. */
  close(): Promise<void>;
};

export type StartOptions = {
  readonly configuration: Configuration;
  readonly limits: Limits;
  /** Where the configuration comes from, if it may change while the server runs. */
  readonly configurationSource?: ConfigurationSource;
  readonly logger: Logger;
  readonly environment: NodeJS.ProcessEnv;
  /** See `PluginAdmission`. */
  readonly pluginConfiguration?: Readonly<Record<string, string>>;
  /** Why no processes may be started here, as a whole clause; null or absent where they may. */
  readonly noProcesses?: string | null;
  /** Directory of the server's own files: schemas and bundled plugins. */
  readonly root: string;
  readonly version: string;
  /** A model in the place of the configured upstream, for demonstrations and tests. */
  readonly model?: LanguageModel;
};

export type ConfigurationSource = {
  read(): LoadedConfiguration;
  /** The file to watch, beside the environment that does not change. */
  readonly file: string;
  applyLogLevel(level: Configuration['VCP_LOG_LEVEL']): void;
};

/** Milliseconds between looks for connections that have become idle while the server closes. */
const IDLE_POLL_MS = 50;

/** Puts the parts together for Node, and listens. */
export const startServer = async (options: StartOptions): Promise<RunningServer> => {
  const { configuration, limits, root, version } = options;
  const dataDirectory = resolve(configuration.VCP_DATA_DIR);
  const pluginDataRoot = resolve(dataDirectory, 'plugins');
  // Results are their owners' business: no other user of the machine reads them.
  await makeDirectory(dataDirectory, 0o700);
  await makeDirectory(pluginDataRoot, 0o700);
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const ids = createUlidIds(clock.now);
  const knownPaths: string[] = [];
  const redact = (event: VcpEvent, given?: ReadonlySet<string>) => redactEvent(event, knownPaths, given);
  // What delivers events logs without making events of it.
  const hub = createEventHub({ ids, clock, limits, redact, logger: options.logger });
  const logger = withLogEvents(options.logger, hub, { clock, mostPerSecond: limits.loggedEventsPerSecond });
  const apiKey = await obtainApiKey(configuration.VCP_API_KEY, dataDirectory);
  const keysFile = keysFileOf(configuration);
  if (configuration.VCP_API_KEYS !== undefined)
    logger.warn('configuration.unused', {
      name: 'VCP_API_KEYS',
      reason: 'is for Workers; here VCP_API_KEYS_FILE is read',
    });
  if (configuration.VCP_TASK_PUBLIC_KEYS !== undefined)
    logger.warn('configuration.unused', {
      name: 'VCP_TASK_PUBLIC_KEYS',
      reason: 'is for a receiver on Workers; a server has the keys themselves',
    });
  const isExpected = configuration.VCP_API_KEYS_FILE !== undefined;
  const keys = openKeysFile({ path: keysFile, isExpected, limits, clock, logger });
  const rulesFile = approvalRulesFileOf(configuration);
  const approvalRules = openApprovalRules({
    path: rulesFile,
    isExpected: configuration.VCP_APPROVAL_RULES_FILE !== undefined,
    limits,
    clock,
    logger,
  });
  const database = await openSqliteDatabase(resolve(dataDirectory, 'vcp.sqlite'));

  const calls = createSqlCallStore(database.db, database.writer);
  const approvals = createSqlApprovalStore(database.db, database.writer);
  const blobs = await createFsResourceStore(resolve(dataDirectory, 'resources'));
  const { configurationSource } = options;
  const readConfiguration = () =>
    configurationSource?.read() ?? { ok: true as const, configuration, limits, warnings: [] };
  knownPaths.push(...ownPaths(dataDirectory), keysFile, rulesFile, root);
  const live = createLiveConfiguration(options, readConfiguration, logger, (next) => {
    configurationSource?.applyLogLevel(next.VCP_LOG_LEVEL);
    // Where plugins were before is hidden still: results of then may name it.
    knownPaths.push(...pluginPaths(next, root).filter((path) => !knownPaths.includes(path)));
  });
  knownPaths.push(...pluginPaths(configuration, root));
  const modules = createWasmModuleSource(limits);
  const sandbox = createWorkerSandbox({ limits, logger });
  const opened = openPlugins({
    live,
    configurationFile: configurationSource?.file ?? null,
    bundled: bundledPlugins(root),
    dataDirectory,
    environment: options.environment,
    pluginConfiguration: options.pluginConfiguration ?? {},
    noProcesses: options.noProcesses ?? null,
    limits,
    clock,
    logger,
    prepareGuest: async (plugin) => {
      const refusal = await modules.prepare(plugin);
      if (refusal === null) sandbox.warm();
      return refusal;
    },
  });
  const { registry, loader, configurationOf } = opened;
  const stdio = createStdioTransport({ logger, limits, pluginDataRoot, configurationOf });
  const { VCP_SERVER_ID: serverId } = configuration;
  const authenticator = createKeysAuthenticator(apiKey, keys, clock);
  const rights = createCallerRights(authenticator);
  const timeZone = configuration.VCP_TIMEZONE ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const scheduling = openScheduling({
    schedules: createSqlScheduleStore(database.db, database.writer),
    registry,
    rights,
    events: hub,
    clock,
    ids,
    logger,
    limits,
    timeZone,
  });
  const builtIn = createBuiltInTools([resultReader({ calls, knownPaths }), scheduling.tool]);
  const direct = builtIn.carriedBy(createDirectTransport(loader, limits));
  const values = createSqlPluginKvStore(database.db, database.writer);
  const wasmHost = openWasmHost({
    configuration,
    values,
    limits,
    clock,
    logger,
    knownPaths,
    timeZone,
    configurationOf,
  });
  const wasm = wasmHost.transportOver(sandbox, modules);
  const transports = { stdio, direct, wasm };
  const services = createServiceHost({
    loader,
    hub,
    configurationOf,
    dataDirectoryOf: async ({ manifest }) => {
      const directory = resolve(pluginDataRoot, manifest.name);
      await makeDirectory(directory, 0o700);
      return directory;
    },
    clock,
    limits,
    logger,
    quietLogger: options.logger,
  });
  const plugins = await opened.serve(transports, builtIn, services);

  const metrics = createPrometheusMetrics();
  const telemetry = { metrics, tracer: trace.getTracer('vcp-runtime', version), clock };

  const signingKeys = await obtainSigningKeys(configuration.VCP_SIGNING_KEY, dataDirectory);
  let publicUrl = configuration.VCP_PUBLIC_URL?.replace(/\/$/, '') ?? '';
  let isReady = true;
  const addresses = createResourceAddresses({
    baseUrl: () => publicUrl,
    secrets: signingKeys,
    limits,
    now: clock.now,
  });
  const tokens = createTaskTokens({ secrets: signingKeys, now: clock.now });
  const { VCP_CALLBACK_URL, VCP_INBOX_URL } = configuration;
  const callbackUrl = (VCP_CALLBACK_URL ?? VCP_INBOX_URL)?.replace(/\/+$/, '');
  const callbacks = createCallbackAddresses({ baseUrl: () => callbackUrl ?? publicUrl, tokens, limits });
  const tasks = createTaskService({
    store: createSqlTaskStore(database.db, database.writer),
    approvals: createTaskApprovals({ approvals, clock, events: hub, logger }),
    calls,
    clock,
    ids,
    events: hub,
    logger,
    limits,
    manifestOf: (name) => registry.get(name)?.manifest ?? null,
    serverId,
    knownPaths,
    metrics,
  });
  const resources = {
    store: blobs,
    files: createLocalFiles(),
    fetch: wasmHost.fetch,
    ids,
    limits,
    urlOf: addresses.urlOf,
  };
  const runtimeParts = {
    registry,
    transports,
    resources,
    addresses,
    calls,
    keys: createSqlIdempotencyStore(database.db, database.writer),
    approvals,
    approvalRules,
    rights,
    isUnchanged: opened.isUnchanged,
    tasks,
    callbacks,
    workspace: await createCallWorkspace(resolve(dataDirectory, 'calls'), pluginDataRoot),
    clock,
    pause: { sleep, random: Math.random },
    ids,
    events: hub,
    logger,
    limits,
    serverId,
    knownPaths,
    telemetry,
  };
  const runtime = createToolRuntime(runtimeParts);
  const chat = openRequestProcessor({
    live,
    configurationFile: configurationSource?.file ?? null,
    environment: options.environment,
    dataDirectory,
    registry,
    runtimeParts,
    values,
  });
  const scheduler = scheduling.schedulerOver({ runtime, metrics, serverId });
  const upstream = createUpstreamFetch();
  const conversations = openChat({
    configuration,
    fetch: upstream.fetch,
    model: options.model ?? null,
    runtime,
    runtimeParts,
    registry,
    blobs,
    requestProcessor: chat.requestProcessor,
    callLater: createCallLater(scheduling.service, timeZone),
  });
  observeServer(metrics, { runtime, registry, transports: [stdio, direct, wasm], events: hub, version });
  const push = createPushClients({ limits, metrics, logger: options.logger });
  const runningChats = createRunningChats();
  const finishing = { tasks, calls, resources, clock, limits };
  const inbox = openInbox({ configuration, finishing, clock, logger, limits });
  const app = createApp({
    runningChats,
    runtime,
    registry,
    plugins,
    calls,
    schedules: scheduling.service,
    approvals,
    tasks,
    tokens,
    finishing,
    callbackUrlTokens: () => live.current().VCP_CALLBACK_URL_TOKENS === 'true',
    blobs,
    addresses,
    authenticator,
    hub,
    push,
    upgradeSocket: nodeUpgradeSocket,
    clock,
    ids,
    logger,
    limits,
    documents: await readServerDocuments(root),
    version,
    knownPaths,
    corsOrigins: () => live.current().VCP_CORS_ORIGINS,
    isReady: () => isReady,
    connections: nodeConnections,
    readinessChecks: nodeReadinessChecks(database.db, dataDirectory, limits),
    telemetry,
    metricsText: metrics.exposition,
    ...(conversations.service === null ? {} : { chat: conversations.service }),
    ...(conversations.passThrough === null ? {} : { passThrough: conversations.passThrough }),
  });

  const stopCollecting = collectRegularly(limits.collectEveryMs, { calls, tasks, blobs, clock, logger, limits });
  const stopSweeping = sweepTasksRegularly(limits.taskSweepMs, { tasks, logger, mayEndTasks: inbox.mayEndTasks });
  const server = createAdaptorServer({
    fetch: app.fetch,
    websocket: { server: createSocketServer(limits) },
    serverOptions: { shouldUpgradeCallback: isSocketRequest },
  }) as Server;
  server.requestTimeout = limits.requestMs;
  const url = await listen(server, configuration.VCP_HOST, configuration.VCP_PORT);
  publicUrl ||= url;
  // Calls that were approved meanwhile begin now: their plugins can be told where to call back.
  const stopAttending = attendRegularly(limits.approvalLookMs, { approvals: runtime.approvals, logger });
  const stopWatching = await opened.watch(plugins);
  scheduler.start();
  inbox.start();

  return {
    url,
    apiKey,
    opensWithApiKey: keys.current().defaultKey,
    registry,
    plugins,
    requestProcessor: chat.requestProcessor,
    close: async () => {
      isReady = false;
      stopWatching();
      chat.stopAsking();
      runtime.deferWaiting();
      await stopAttending();
      // What it takes just now may wait for others, and nothing else shall wait for that.
      const inboxStopped = inbox.stop();
      const schedulerStopped = scheduler.stop();
      const closed = new Promise<void>((done) => server.close(() => done()));
      // A connection that is kept alive becomes idle when its last answer is out, and nobody else closes it then.
      server.closeIdleConnections();
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_POLL_MS);
      // What it was about to begin has begun then, and is cancelled like other calls.
      await schedulerStopped;
      // Cancelling a call still lets its answer out, so connections are cut only after that.
      const patience = setTimeout(() => {
        // Conversations first: a call that is cancelled must not be fed back to its model.
        runningChats.shutDown();
        runtime.cancelRunning();
      }, configuration.VCP_SHUTDOWN_MS);
      const force = setTimeout(() => {
        server.closeAllConnections();
        push.terminate();
      }, configuration.VCP_SHUTDOWN_MS + 3_000);
      // Whoever waits for the result of a running call is told of it before the connection ends.
      const servicesEnded = runtime
        .idle()
        .then(() => services.close())
        .then(() => push.close());
      await closed;
      // A call whose client has gone holds no connection, and still has a result to be stored.
      await runtime.idle();
      await scheduler.idle();
      await servicesEnded;
      await chat.close();
      await upstream.close();
      await inboxStopped;
      await stopCollecting();
      await stopSweeping();
      await tasks.shutDown();
      clearInterval(idle);
      clearTimeout(patience);
      clearTimeout(force);
      keys.close();
      approvalRules.close();
      await stdio.close?.();
      await wasm.close?.();
      await wasmHost.close();
      await database.close();
    },
  };
};

const pluginPaths = ({ VCP_PLUGIN_DIRS }: Configuration, root: string): string[] =>
  (VCP_PLUGIN_DIRS ?? bundledPlugins(root)).map((path) => resolve(path));

/** The server's own directories, as they must not be shown. A short path such as `/data` begins pointers too. */
const ownPaths = (dataDirectory: string): string[] =>
  dataDirectory.split(sep).length > 2
    ? [dataDirectory]
    : ['plugins', 'resources', 'calls', 'vcp.sqlite', KEY_FILE, SIGNING_KEY_FILE].map((name) =>
        resolve(dataDirectory, name),
      );

const listen = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      const address = server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      // A wildcard is no address to send a client to.
      done(`http://${name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name}:${address.port}`);
    });
  });
