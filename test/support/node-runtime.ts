import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import { createLocalFiles } from '../../adapters/fs/local-files.ts';
import { createMemoryApprovalStore } from '../../adapters/memory/memory-approval-store.ts';
import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryIdempotencyStore, type MemoryKeyClaims } from '../../adapters/memory/memory-idempotency-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../adapters/memory/memory-task-store.ts';
import { createCallWorkspace } from '../../adapters/node/call-workspace.ts';
import { createModuleLoader } from '../../adapters/node/module-loader.ts';
import { createStdioTransport } from '../../adapters/node/stdio/stdio-transport.ts';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/sql-idempotency-store.ts';
import { createSqlTaskStore } from '../../adapters/sql/sql-task-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { NO_APPROVAL_RULES } from '../../src/ports/approval-rules.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { createResourceAddresses, type ResourceAddresses } from '../../src/lib/resource-addresses.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { ApprovalStore } from '../../src/ports/approval-store.ts';
import type { CallStore } from '../../src/ports/call-store.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { ResourceStore } from '../../src/ports/resource-store.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { EventAddress, EventSink, NewEvent, ProgressTold } from '../../src/ports/event-sink.ts';
import { createEventHub, type EventHub } from '../../src/events/event-hub.ts';
import { noMetrics } from '../../src/ports/metrics.ts';
import { createPushClients, type PushClients } from '../../src/server/push/push-clients.ts';
import { createToolRegistry, type ToolRegistry } from '../../src/registry/tool-registry.ts';
import type { PluginService } from '../../src/runtime/plugin-service.ts';
import type { FinishDependencies } from '../../src/runtime/tasks/finish-task.ts';
import type { TaskService } from '../../src/runtime/tasks/task-service.ts';
import type { TaskTokens } from '../../src/task/task-tokens.ts';
import { createTestTasks } from './memory-tasks.ts';
import { createToolRuntime, type ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import { createDirectTransport } from '../../src/transport/direct/direct-transport.ts';
import { silentLogger } from './silent-logger.ts';
import { foundManifest, sha256OfFile, stdioFixtures, type PluginSpec } from './manifest.ts';
import { createFixedPluginService } from './plugin-service.ts';
import { endProcesses } from './processes.ts';

export type NodeRuntime = {
  readonly runtime: ToolRuntime;
  readonly registry: ToolRegistry;
  readonly plugins: PluginService;
  readonly calls: CallStore;
  readonly approvals: ApprovalStore;
  readonly tasks: TaskService;
  readonly tokens: TaskTokens;
  readonly finishing: FinishDependencies;
  /** Puts the clock of the runtime forward. */
  setNow(now: number): void;
  readonly blobs: ResourceStore;
  readonly addresses: ResourceAddresses;
  readonly ids: ReturnType<typeof createUlidIds>;
  readonly limits: Limits;
  readonly dataDirectory: string;
  /** The progress among what was emitted. */
  readonly events: ProgressTold[];
  readonly emitted: (NewEvent & EventAddress)[];
  readonly hub: EventHub;
  readonly push: PushClients;
  readonly faults: string[];
  /** The names of the log lines that tell what happens, other than faults. */
  readonly logged: string[];
  call(
    tool: string,
    args?: JsonObject,
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<CanonicalToolResult>;
  close(): Promise<void>;
};

const systemClock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The parts that a server on Node is made of, on a temporary data directory that `close` removes. */
export const openNodeRuntime = async (
  plugins: readonly PluginSpec[],
  options: {
    readonly limits?: Partial<Limits>;
    readonly store?: 'memory' | 'sqlite';
    readonly baseUrl?: () => string;
  } = {},
): Promise<NodeRuntime> => {
  const dataDirectory = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-data-')));
  // No process waits for a call unless a test asks for it: most look for what a call leaves behind.
  const limits: Limits = { ...DEFAULT_LIMITS, standbyProcesses: 0, ...options.limits };
  const pluginDataRoot = join(dataDirectory, 'plugins');
  await mkdir(pluginDataRoot, { recursive: true });
  const ids = createUlidIds(() => Date.now());
  const database = options.store === 'sqlite' ? await openSqliteDatabase(join(dataDirectory, 'vcp.sqlite')) : null;
  const claims: MemoryKeyClaims = new Map();
  const shared = createMemoryTasks();
  const calls =
    database === null ? createMemoryCallStore(claims, shared) : createSqlCallStore(database.db, database.writer);
  const taskStore =
    database === null ? createMemoryTaskStore(shared) : createSqlTaskStore(database.db, database.writer);
  const keys =
    database === null ? createMemoryIdempotencyStore(claims) : createSqlIdempotencyStore(database.db, database.writer);
  const blobs = await createFsResourceStore(join(dataDirectory, 'resources'));
  const registry = createToolRegistry(plugins.map(foundManifest));
  if (registry.refused().length > 0)
    throw new Error(
      registry
        .refused()
        .map(({ reason }) => reason)
        .join('; '),
    );

  const faults: string[] = [];
  const logged: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (event) => void logged.push(event),
    warn: (event) => void logged.push(event),
    error: (event, fields) => void faults.push(`${event} ${JSON.stringify(fields)}`),
  };
  const stdio = createStdioTransport({ limits, logger, pluginDataRoot, configurationOf: () => ({}) });
  const modules = plugins.flatMap(({ module, directory = stdioFixtures }) =>
    module === undefined ? [] : [sha256OfFile(join(directory, module))],
  );
  const loader = createModuleLoader({
    digests: new Set(modules),
    bundledDirectories: [],
    maxFiles: limits.pluginFiles,
  });
  const events: ProgressTold[] = [];
  const emitted: (NewEvent & EventAddress)[] = [];
  const hub = createEventHub({ ids, clock: systemClock, limits, redact: (event) => event, logger });
  const transports = { stdio, direct: createDirectTransport(loader, limits) };
  const addresses = createResourceAddresses({
    baseUrl: () => 'http://127.0.0.1',
    secrets: ['a secret of the test server'],
    limits,
    now: () => Date.now(),
  });
  const eventSink: EventSink = {
    emit: (event, address) => {
      emitted.push({ ...event, ...address });
      if (event.type === 'vcp_info') events.push(event);
    },
  };
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  const { tasks, callbacks, tokens } = createTestTasks(
    {
      store: taskStore,
      calls,
      clock,
      ids,
      events: eventSink,
      logger,
      limits,
      manifestOf: (name) => registry.get(name)?.manifest ?? null,
      serverId: 'test',
      knownPaths: [dataDirectory],
    },
    options.baseUrl,
  );
  const resources = {
    store: blobs,
    files: createLocalFiles(),
    fetch: null,
    ids,
    limits,
    urlOf: addresses.urlOf,
  };
  const approvals = createMemoryApprovalStore();
  const runtime = createToolRuntime({
    registry,
    transports,
    resources,
    addresses,
    calls,
    keys,
    approvals,
    approvalRules: NO_APPROVAL_RULES,
    tasks,
    callbacks,
    workspace: await createCallWorkspace(join(dataDirectory, 'calls'), pluginDataRoot),
    clock,
    pause: { sleep, random: Math.random },
    ids,
    events: eventSink,
    logger,
    limits,
    serverId: 'test',
    knownPaths: [dataDirectory],
  });

  return {
    runtime,
    registry,
    plugins: createFixedPluginService(registry, transports, logger),
    calls,
    approvals,
    tasks,
    tokens,
    finishing: { tasks, calls, resources, clock, limits },
    setNow: (now) => (ahead = now - Date.now()),
    blobs,
    addresses,
    ids,
    limits,
    dataDirectory,
    events,
    emitted,
    hub,
    push: createPushClients({ limits, metrics: noMetrics, logger }),
    faults,
    logged,
    call: (toolName, args = {}, { signal, timeoutMs } = {}) =>
      runtime.execute({
        toolName,
        arguments: args,
        context: { source: 'human', owner: 'tester', ...(signal === undefined ? {} : { signal }) },
        options: timeoutMs === undefined ? {} : { timeoutMs },
      }),
    close: async () => {
      await stdio.close?.();
      await database?.close();
      endProcesses(dataDirectory);
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
};
