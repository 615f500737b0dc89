// A tool runtime whose every part is in memory, for portable tests of the pipeline and of the HTTP surface.
import { createMemoryApprovalStore } from '../../adapters/memory/memory-approval-store.ts';
import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryIdempotencyStore, type MemoryKeyClaims } from '../../adapters/memory/memory-idempotency-store.ts';
import { createMemoryScheduleStore } from '../../adapters/memory/memory-schedule-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../adapters/memory/memory-task-store.ts';
import { createMemoryResourceStore } from '../../adapters/memory/memory-resource-store.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { createResourceAddresses, type ResourceAddresses } from '../../src/lib/resource-addresses.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { ApprovalStore } from '../../src/ports/approval-store.ts';
import type { ApprovalRule } from '../../src/protocol/approval-rules.ts';
import type { CallStore } from '../../src/ports/call-store.ts';
import type { CallWorkspace } from '../../src/ports/call-workspace.ts';
import type { Identity, IdentityRateLimits, Role } from '../../src/ports/authenticator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdempotencyStore } from '../../src/ports/idempotency-store.ts';
import type { LogFields, Logger } from '../../src/ports/logger.ts';
import type { Pause } from '../../src/ports/pause.ts';
import type { ResourceStore } from '../../src/ports/resource-store.ts';
import type { TaskStore } from '../../src/ports/task-store.ts';
import type { TransportAdapter, TransportCall } from '../../src/ports/transport.ts';
import type { EventAddress, EventSink, NewEvent, ProgressTold } from '../../src/ports/event-sink.ts';
import { createEventHub, type EventHub } from '../../src/events/event-hub.ts';
import { noMetrics } from '../../src/ports/metrics.ts';
import { redactEvent } from '../../src/runtime/redact-event.ts';
import { createPushClients } from '../../src/server/push/push-clients.ts';
import { createToolRegistry } from '../../src/registry/tool-registry.ts';
import { createBuiltInTools } from '../../src/runtime/built-in/built-in-tools.ts';
import { resultReader } from '../../src/runtime/built-in/result-reader.ts';
import { taskScheduler } from '../../src/runtime/built-in/task-scheduler.ts';
import { createScheduleService, type ScheduleService } from '../../src/runtime/scheduling/schedule-service.ts';
import type { ScheduleStore } from '../../src/ports/schedule-store.ts';
import type { CallerRights } from '../../src/ports/caller-rights.ts';
import type { FinishDependencies } from '../../src/runtime/tasks/finish-task.ts';
import type { TaskService } from '../../src/runtime/tasks/task-service.ts';
import type { TaskTokens } from '../../src/task/task-tokens.ts';
import { createTaskApprovals } from '../../src/runtime/task-approvals.ts';
import { createTestTasks } from './memory-tasks.ts';
import type { Telemetry } from '../../src/runtime/telemetry.ts';
import type { PluginService } from '../../src/runtime/plugin-service.ts';
import { createToolRuntime, type ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import { createCallerRights } from '../../src/server/caller-rights.ts';
import { createApp } from '../../src/server/create-app.ts';
import type { AppDependencies } from '../../src/server/app-environment.ts';
import { createFixedPluginService } from './plugin-service.ts';
import { manifest } from './sample-values.ts';

/** What a tool of a test answers; a function is run for each call. */
export type Answer = (call: TransportCall) => unknown;

export type LoggedEvent = { readonly level: string; readonly event: string; readonly fields: LogFields };

export type MemoryRuntimeOptions = {
  readonly manifests?: readonly Record<string, unknown>[];
  readonly answer?: Answer;
  readonly transport?: TransportAdapter;
  readonly limits?: Partial<Limits>;
  readonly calls?: CallStore;
  /** The one that shares its tasks with `calls`. */
  readonly taskStore?: TaskStore;
  readonly keys?: IdempotencyStore;
  readonly approvals?: ApprovalStore;
  /** Asked at each call. */
  readonly approvalRules?: () => readonly ApprovalRule[];
  readonly clock?: Clock;
  readonly pause?: Pause;
  readonly blobs?: ResourceStore;
  readonly workspace?: CallWorkspace;
  readonly knownPaths?: readonly string[];
  readonly telemetry?: Telemetry;
  /** Serves the runtime's own tools too, from the first reload on. */
  readonly builtIn?: boolean;
  /** What the owners of schedules may do; what the keys of the test server may, by default. */
  readonly rights?: CallerRights;
};

export type MemoryRuntime = {
  readonly runtime: ToolRuntime;
  readonly registry: ReturnType<typeof createToolRegistry>;
  readonly plugins: PluginService;
  readonly calls: CallStore;
  readonly keys: IdempotencyStore;
  readonly scheduleStore: ScheduleStore;
  readonly schedules: ScheduleService;
  readonly rights: CallerRights;
  readonly approvals: ApprovalStore;
  readonly tasks: TaskService;
  readonly tokens: TaskTokens;
  readonly finishing: FinishDependencies;
  readonly blobs: ResourceStore;
  readonly addresses: ResourceAddresses;
  readonly ids: ReturnType<typeof createUlidIds>;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly logged: readonly LoggedEvent[];
  /** The progress among what was emitted. */
  readonly events: readonly ProgressTold[];
  readonly emitted: readonly (NewEvent & EventAddress)[];
  readonly hub: EventHub;
  readonly eventSink: EventSink;
  readonly delivered: readonly TransportCall[];
};

export const success = (data: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  status: 'success',
  data,
  ...more,
});

export const createMemoryRuntime = (options: MemoryRuntimeOptions = {}): MemoryRuntime => {
  const { manifests = [manifest()], answer = () => success({ done: true }), knownPaths = [] } = options;
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const claims: MemoryKeyClaims = new Map();
  const sharedTasks = createMemoryTasks();
  const calls = options.calls ?? createMemoryCallStore(claims, sharedTasks);
  const taskStore = options.taskStore ?? createMemoryTaskStore(sharedTasks);
  const keys = options.keys ?? createMemoryIdempotencyStore(claims);
  const approvals = options.approvals ?? createMemoryApprovalStore();
  const blobs = options.blobs ?? createMemoryResourceStore();
  const logged: LoggedEvent[] = [];
  const events: ProgressTold[] = [];
  const emitted: (NewEvent & EventAddress)[] = [];
  const delivered: TransportCall[] = [];
  const log =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      void logged.push({ level, event, fields });
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const ids = createUlidIds(() => Date.now());
  const clock = options.clock ?? { now: () => Date.now(), monotonic: () => performance.now() };
  const hub = createEventHub({
    ids,
    clock,
    limits,
    redact: (event, named) => redactEvent(event, knownPaths, named),
    logger,
  });
  const registry = createToolRegistry(
    manifests.map((content) => ({
      text: JSON.stringify(content),
      directory: null,
      location: `memory:${String(content['name'])}`,
    })),
  );
  const given: TransportAdapter = options.transport ?? {
    execute: async (call) => {
      delivered.push(call);
      return { payload: await answer(call), warnings: [] };
    },
  };
  const eventSink: EventSink = {
    emit: (event, address) => {
      hub.emit(event, address);
      emitted.push({ ...event, ...address });
      if (event.type === 'vcp_info') events.push(event);
    },
  };
  const rights = options.rights ?? createCallerRights({ identify: (id) => KEYS[`key-of-${id}`] ?? null });
  const scheduleStore = createMemoryScheduleStore();
  const timeZone = 'Europe/Berlin';
  const schedules = createScheduleService({
    schedules: scheduleStore,
    registry,
    rights,
    events: eventSink,
    clock,
    ids,
    logger,
    limits,
    timeZone,
  });
  const ownTools = [resultReader({ calls, knownPaths }), taskScheduler({ schedules, timeZone })];
  const own = createBuiltInTools(options.builtIn === true ? ownTools : []);
  const addresses = createResourceAddresses({
    baseUrl: () => 'https://vcp.example',
    secrets: ['a secret of the test server'],
    limits,
    now: () => clock.now(),
  });
  const { tasks, tokens, callbacks } = createTestTasks({
    store: taskStore,
    approvals: createTaskApprovals({ approvals, clock, events: eventSink, logger }),
    calls,
    clock,
    ids,
    events: eventSink,
    logger,
    limits,
    manifestOf: (name) => registry.get(name)?.manifest ?? null,
    serverId: 'test',
    knownPaths,
    ...(options.telemetry === undefined ? {} : { metrics: options.telemetry.metrics }),
  });
  const direct = options.builtIn === true ? own.carriedBy(given) : given;
  const resources = { store: blobs, files: null, fetch: null, ids, limits, urlOf: addresses.urlOf };
  const runtime = createToolRuntime({
    registry,
    transports: { direct, wasm: direct },
    resources,
    addresses,
    calls,
    keys,
    approvals,
    approvalRules: { current: options.approvalRules ?? (() => []) },
    rights,
    tasks,
    callbacks,
    workspace: options.workspace ?? { directoryFor: async () => null, release: async () => undefined },
    clock,
    pause: options.pause ?? { sleep, random: Math.random },
    ids,
    events: eventSink,
    logger,
    limits,
    serverId: 'test',
    knownPaths,
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
  });
  const plugins = createFixedPluginService(registry, { direct }, logger, own);
  return {
    runtime,
    registry,
    plugins,
    calls,
    keys,
    scheduleStore,
    schedules,
    rights,
    approvals,
    tasks,
    tokens,
    finishing: { tasks, calls, resources, clock, limits },
    blobs,
    addresses,
    ids,
    limits,
    logger,
    logged,
    events,
    emitted,
    hub,
    eventSink,
    delivered,
  };
};

/** Runs one call of the sample tool, as a person whose key is `alice`. */
export const callSample = (
  { runtime }: MemoryRuntime,
  args: Record<string, unknown> = {},
  more: {
    readonly toolName?: string;
    readonly signal?: AbortSignal;
    readonly options?: Parameters<ToolRuntime['execute']>[0]['options'];
  } = {},
) =>
  runtime.execute({
    toolName: more.toolName ?? 'Sample',
    arguments: args as never,
    context: { source: 'human', owner: 'alice', ...(more.signal === undefined ? {} : { signal: more.signal }) },
    ...(more.options === undefined ? {} : { options: more.options }),
  });

const identity = (
  id: string,
  roles: readonly Role[],
  tools: readonly string[] | null = null,
  rateLimits?: IdentityRateLimits,
): Identity => ({
  id,
  name: id,
  roles: new Set(roles),
  tools: tools === null ? null : new Set(tools),
  ...(rateLimits === undefined ? {} : { rateLimits }),
});

/** Keys of the test server: two people, an operator, one who may only do so for the tool `Other`, one who may use only that, a node, and limited ones. */
const KEYS: Readonly<Record<string, Identity>> = {
  'key-of-alice': identity('alice', ['human']),
  'key-of-bob': identity('bob', ['human']),
  'key-of-operator': identity('operator', ['operator']),
  'key-of-narrow': identity('narrow', ['operator'], ['Other']),
  'key-of-limited': identity('limited', ['human'], ['Other']),
  'key-of-node': identity('node', ['node']),
  'key-of-slow': identity('slow', ['human'], null, { all: { requests: 3, windowSeconds: 60 }, tools: new Map() }),
  'key-of-careful': identity('careful', ['human'], null, {
    all: { requests: 10, windowSeconds: 60 },
    tools: new Map([['Sample', { requests: 2, windowSeconds: 60 }]]),
  }),
};

export type MemoryApp = MemoryRuntime & {
  readonly app: ReturnType<typeof createApp>;
  /** Sends a request as one of the keys; `alice` unless told otherwise, null without a key. */
  send(path: string, init?: RequestInit & { readonly as?: string | null }): Promise<Response>;
  /** A JSON call of `POST /v1/human/tool`. */
  call(body: unknown, as?: string): Promise<Response>;
};

export const createMemoryApp = (
  options: MemoryRuntimeOptions & { readonly app?: Partial<AppDependencies> } = {},
): MemoryApp => {
  const parts = createMemoryRuntime(options);
  const app = createApp({
    runtime: parts.runtime,
    registry: parts.registry,
    plugins: parts.plugins,
    calls: parts.calls,
    schedules: parts.schedules,
    approvals: parts.approvals,
    tasks: parts.tasks,
    tokens: parts.tokens,
    finishing: parts.finishing,
    callbackUrlTokens: () => false,
    blobs: parts.blobs,
    addresses: parts.addresses,
    hub: parts.hub,
    push: createPushClients({ limits: parts.limits, metrics: noMetrics, logger: parts.logger }),
    authenticator: { authenticate: (key) => (Object.hasOwn(KEYS, key) ? (KEYS[key] as Identity) : null) },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    ids: parts.ids,
    logger: parts.logger,
    limits: parts.limits,
    documents: {
      load: () => ({
        openapi: { openapi: '3.1.0' },
        schemas: new Map([['task', { $id: 'urn:vcp:schema:1.0:task' }]]),
      }),
    },
    version: '9.9.9',
    knownPaths: options.knownPaths ?? [],
    corsOrigins: () => [],
    isReady: () => true,
    connections: { clientAddress: () => null, clientGone: () => null },
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
    ...options.app,
  });
  const send: MemoryApp['send'] = async (path, { as = 'alice', ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (as !== null) headers.set('authorization', `Bearer key-of-${as}`);
    return await app.request(path, { ...init, headers });
  };
  return {
    ...parts,
    app,
    send,
    call: (body, as = 'alice') =>
      send('/v1/human/tool', {
        method: 'POST',
        as,
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
};
