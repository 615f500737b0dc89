import type { AddressInfo } from 'node:net';
import { resolve, sep } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { trace } from '@opentelemetry/api';
import type { Server } from 'node:http';
import { sleep } from '../../src/lib/sleep.ts';
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
import { createToolRuntime } from '../../src/runtime/tool-runtime.ts';
import type { Configuration, LoadedConfiguration } from '../../src/server/configuration.ts';
import { createApp } from '../../src/server/create-app.ts';
import { createLiveConfiguration } from '../../src/server/live-configuration.ts';
import { createDirectTransport } from '../../src/transport/direct/direct-transport.ts';
import { createFsResourceStore } from '../fs/fs-resource-store.ts';
import { createLocalFiles } from '../fs/local-files.ts';
import { makeDirectory } from '../fs/make-directory.ts';
import { createSqlCallStore } from '../sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../sql/sql-idempotency-store.ts';
import { createSqlPluginKvStore } from '../sql/sql-plugin-kv-store.ts';
import { openSqliteDatabase } from '../sqlite/sqlite-database.ts';
import { KEY_FILE, obtainApiKey } from './api-key.ts';
import { bundledPlugins } from './bundled-plugins.ts';
import { createCallWorkspace } from './call-workspace.ts';
import { collectRegularly } from './collect-regularly.ts';
import { createKeysAuthenticator } from '../auth/keys-authenticator.ts';
import { keysFileOf, openKeysFile } from './keys-file.ts';
import { nodeConnections } from './node-connections.ts';
import { observeServer } from './observe-server.ts';
import { createPrometheusMetrics } from './prometheus-metrics.ts';
import { nodeReadinessChecks } from './readiness-checks.ts';
import { openChat } from './open-chat.ts';
import { openRequestProcessor } from './open-request-processor.ts';
import { openPlugins } from './plugins/open-plugins.ts';
import { readServerDocuments } from './server-documents.ts';
import { obtainSigningKeys, SIGNING_KEY_FILE } from './signing-keys.ts';
import { createStdioTransport } from './stdio/stdio-transport.ts';
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
  const { configuration, limits, logger, root, version } = options;
  const dataDirectory = resolve(configuration.VCP_DATA_DIR);
  const pluginDataRoot = resolve(dataDirectory, 'plugins');
  // Results are their owners' business: no other user of the machine reads them.
  await makeDirectory(dataDirectory, 0o700);
  await makeDirectory(pluginDataRoot, 0o700);
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const apiKey = await obtainApiKey(configuration.VCP_API_KEY, dataDirectory);
  const keysFile = keysFileOf(configuration);
  if (configuration.VCP_API_KEYS !== undefined)
    logger.warn('configuration.unused', {
      name: 'VCP_API_KEYS',
      reason: 'is for Workers; here VCP_API_KEYS_FILE is read',
    });
  const isExpected = configuration.VCP_API_KEYS_FILE !== undefined;
  const keys = openKeysFile({ path: keysFile, isExpected, limits, clock, logger });
  const database = await openSqliteDatabase(resolve(dataDirectory, 'vcp.sqlite'));

  const ids = createUlidIds(clock.now);
  const calls = createSqlCallStore(database.db, database.writer);
  const blobs = await createFsResourceStore(resolve(dataDirectory, 'resources'));
  const { configurationSource } = options;
  const readConfiguration = () =>
    configurationSource?.read() ?? { ok: true as const, configuration, limits, warnings: [] };
  const knownPaths = [...ownPaths(dataDirectory), keysFile, root];
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
  const builtIn = createBuiltInTools([resultReader({ calls, knownPaths })]);
  const direct = builtIn.carriedBy(createDirectTransport(loader, limits));
  const values = createSqlPluginKvStore(database.db, database.writer);
  const wasmHost = openWasmHost({
    configuration,
    values,
    limits,
    clock,
    logger,
    knownPaths,
    configurationOf,
  });
  const wasm = wasmHost.transportOver(sandbox, modules);
  const transports = { stdio, direct, wasm };
  const plugins = await opened.serve(transports, builtIn);

  const metrics = createPrometheusMetrics();
  const telemetry = { metrics, tracer: trace.getTracer('vcp-runtime', version), clock };

  let publicUrl = configuration.VCP_PUBLIC_URL?.replace(/\/$/, '') ?? '';
  let isReady = true;
  const addresses = createResourceAddresses({
    baseUrl: () => publicUrl,
    secrets: await obtainSigningKeys(configuration.VCP_SIGNING_KEY, dataDirectory),
    limits,
    now: clock.now,
  });
  const runtimeParts = {
    registry,
    transports,
    resources: {
      store: blobs,
      files: createLocalFiles(),
      fetch: wasmHost.fetch,
      ids,
      limits,
      urlOf: addresses.urlOf,
    },
    addresses,
    calls,
    keys: createSqlIdempotencyStore(database.db, database.writer),
    workspace: await createCallWorkspace(resolve(dataDirectory, 'calls'), pluginDataRoot),
    clock,
    pause: { sleep, random: Math.random },
    ids,
    // Nobody listens yet; the log has the progress of every call.
    events: { emit: () => undefined },
    logger,
    limits,
    serverId: configuration.VCP_SERVER_ID,
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
  const conversations = openChat({
    configuration,
    model: options.model ?? null,
    runtime,
    runtimeParts,
    registry,
    blobs,
    requestProcessor: chat.requestProcessor,
    callLater: null,
  });
  observeServer(metrics, { runtime, registry, transports: [stdio, direct, wasm], version });
  const app = createApp({
    runtime,
    registry,
    plugins,
    calls,
    blobs,
    addresses,
    authenticator: createKeysAuthenticator(apiKey, keys, clock),
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
  });

  const stopCollecting = collectRegularly(limits.collectEveryMs, { calls, blobs, clock, logger, limits });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.requestTimeout = limits.requestMs;
  const url = await listen(server, configuration.VCP_HOST, configuration.VCP_PORT);
  publicUrl ||= url;
  const stopWatching = await opened.watch(plugins);

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
      const closed = new Promise<void>((done) => server.close(() => done()));
      // A connection that is kept alive becomes idle when its last answer is out, and nobody else closes it then.
      server.closeIdleConnections();
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_POLL_MS);
      // Cancelling a call still lets its answer out, so connections are cut only after that.
      const patience = setTimeout(() => runtime.cancelRunning(), configuration.VCP_SHUTDOWN_MS);
      const force = setTimeout(() => server.closeAllConnections(), configuration.VCP_SHUTDOWN_MS + 3_000);
      await closed;
      // A call whose client has gone holds no connection, and still has a result to be stored.
      await runtime.idle();
      await chat.close();
      await conversations.close();
      await stopCollecting();
      clearInterval(idle);
      clearTimeout(patience);
      clearTimeout(force);
      keys.close();
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
