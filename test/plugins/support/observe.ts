import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFsResourceStore } from '../../../adapters/fs/fs-resource-store.ts';
import { createLocalFiles } from '../../../adapters/fs/local-files.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../../adapters/memory/memory-task-store.ts';
import { createTestTasks } from '../../support/memory-tasks.ts';
import { createMemoryApprovalStore } from '../../../adapters/memory/memory-approval-store.ts';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { createMemoryIdempotencyStore } from '../../../adapters/memory/memory-idempotency-store.ts';
import { createCallWorkspace } from '../../../adapters/node/call-workspace.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';
import { NO_APPROVAL_RULES } from '../../../src/ports/approval-rules.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { createUlidIds } from '../../../src/lib/ulid-ids.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import type { TransportAdapter, TransportCall } from '../../../src/ports/transport.ts';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { CALLABLE_PLUGIN_TYPES } from '../../../src/protocol/manifest.ts';
import { createToolRegistry } from '../../../src/registry/tool-registry.ts';
import { project } from '../../../src/runtime/project.ts';
import type { TaskService } from '../../../src/runtime/tasks/task-service.ts';
import { createResourceAddresses } from '../../../src/lib/resource-addresses.ts';
import { createTaskCallbacks } from '../../../src/runtime/tasks/task-callbacks.ts';
import { createToolRuntime } from '../../../src/runtime/tool-runtime.ts';
import type { AiView } from '../../../src/present/ai/ai-view.ts';
import type { PluginUnderTest } from './bundled-plugins.ts';
import { createCallbackEndpoint, postedEnd, type CallbackEndpoint } from './callback-endpoint.ts';
import { savedValues, substitute, type ContractCase } from './contract-cases.ts';
import { readRawStdout } from './raw-stdout.ts';
import { RECORDED_ORIGIN } from './recorded-fetch.ts';
import { playRecordings } from './recordings.ts';
import { transportFor, transportKindOf } from './transport-for.ts';

/** A call to run: a case without its expectations, or an example of the manifest. */
export type Scene = Pick<ContractCase, 'setup' | 'arguments'>;

/** The answer that accepted the work, and what its plugin wrote for it. */
export type Accepted = { readonly result: CanonicalToolResult; readonly payload: unknown };

/** Everything that one call showed of its plugin. `payload` is undefined when the core refused before any process ran. */
export type Observation = {
  readonly arguments: JsonObject;
  readonly setupFaults: readonly string[];
  /** What a call was answered that went on as a task; null when it was answered with its result. */
  readonly accepted: Accepted | null;
  /** The result in the end. */
  readonly result: CanonicalToolResult;
  readonly human: CanonicalToolResult;
  readonly ai: AiView;
  readonly payload: unknown;
  /** The bytes that the same call, made once more, put on stdout; null when the core refused it or there is no process. */
  readonly stdout: Uint8Array | null;
  readonly hostDirectories: readonly string[];
  /** Where recorded answers were played, or null. */
  readonly recordedAt: string | null;
};

/** Runs a scene through the real runtime and the real transport of its kind, with a data directory of its own. */
export const observe = async (plugin: PluginUnderTest, scene: Scene): Promise<Observation> => {
  const root = await mkdtemp(join(tmpdir(), 'vcp-contract-'));
  const pluginDataRoot = join(root, 'plugins');
  const knownPaths = [root, serverRoot];
  const recordings = plugin.recordings === null ? null : await playRecordings(plugin.recordings);
  const kind = transportKindOf(plugin);
  // A sandbox reaches no address of this machine.
  const recordedAt = recordings === null || kind !== 'wasm' ? (recordings?.baseUrl ?? null) : RECORDED_ORIGIN;
  const endpoint = await createCallbackEndpoint();
  const tap = tapped(transportFor(plugin, { pluginDataRoot, recordedAt: recordings?.baseUrl ?? null }));
  try {
    const { runtime, tasks } = await createRuntime(plugin, tap.transport, root, knownPaths, endpoint);
    const run = async (args: JsonObject) => {
      const context = { source: 'human', owner: 'contract' } as const;
      const answer = await runtime.execute({ toolName: plugin.name, arguments: args, context });
      if (answer.status !== 'accepted' || answer.task === null) return { accepted: null, result: answer };
      return { accepted: answer, result: await endOfTask(tasks, answer.task.id) };
    };

    const setupFaults: string[] = [];
    const saved = new Map<string, string>(recordedAt === null ? [] : [['recordings', recordedAt]]);
    for (const [index, step] of scene.setup.entries()) {
      const { result } = await run(substitute(step.arguments, saved) as JsonObject);
      if (result.status !== 'success')
        setupFaults.push(`setup ${index}: ${result.error?.code} ${result.error?.message}`);
      else for (const [name, value] of savedValues(step.save, result)) saved.set(name, value);
    }
    const args = substitute(scene.arguments, saved) as JsonObject;
    tap.forget();
    const { accepted, result } = await run(args);
    const viewer = { roles: new Set<string>(['human']) };
    const context = { viewer, knownPaths, limits: DEFAULT_LIMITS };
    return {
      arguments: args,
      setupFaults,
      accepted: accepted === null ? null : { result: accepted, payload: tap.last()?.payload },
      result,
      human: project(result, 'canonical', context) as CanonicalToolResult,
      ai: project(result, 'ai', context) as AiView,
      payload: accepted === null ? tap.last()?.payload : (postedEnd(endpoint) ?? tap.finished()),
      stdout: await stdoutOf(kind === 'stdio' ? (tap.last()?.call ?? null) : null, plugin, {
        data: join(pluginDataRoot, plugin.name),
        // A call has a directory for its files, and the one of the first run is gone.
        resources: await mkdtemp(join(root, 'again-')),
      }),
      recordedAt,
      hostDirectories: [root, serverRoot, homedir()].filter((directory) => directory.length > 1),
    };
  } finally {
    await tap.transport.close?.();
    await endpoint.close();
    await recordings?.close();
    await rm(root, { recursive: true, force: true });
  }
};

const createRuntime = async (
  plugin: PluginUnderTest,
  transport: TransportAdapter,
  root: string,
  knownPaths: readonly string[],
  endpoint: CallbackEndpoint,
) => {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const ids = createUlidIds(clock.now);
  const silent = () => undefined;
  // A disabled plugin has to keep the contract as well (§21), so it is switched on for this run; and a command that
  // waits for approval is run as if it had been given: what happens then is the plugin's part, the asking is the core's.
  const { manifest } = plugin.definition;
  const invocationCommands = plugin.commands.map((command) => ({ ...command, approval: false }));
  const { refreshCron: _when, ...called } = manifest;
  const text = JSON.stringify({
    ...called,
    // A static plugin is run by the server alone; here its command is called like any other.
    pluginType: CALLABLE_PLUGIN_TYPES.has(manifest.pluginType) ? manifest.pluginType : 'synchronous',
    enabled: true,
    approval: false,
    capabilities: { invocationCommands },
  });
  const addresses = createResourceAddresses({
    baseUrl: () => 'http://vcp.example',
    secrets: ['a secret of the test server'],
    limits: DEFAULT_LIMITS,
    now: clock.now,
  });
  const shared = createMemoryTasks();
  const calls = createMemoryCallStore(new Map(), shared);
  const testTasks = createTestTasks(
    {
      store: createMemoryTaskStore(shared),
      calls,
      clock,
      ids,
      events: { emit: silent },
      logger: silentLogger,
      limits: DEFAULT_LIMITS,
      manifestOf: () => null,
      serverId: 'local',
      knownPaths,
    },
    () => endpoint.url,
  );
  const { tasks, callbacks, tokens } = testTasks;
  const resources = {
    store: await createFsResourceStore(join(root, 'resources')),
    files: createLocalFiles(),
    fetch: null,
    ids,
    limits: DEFAULT_LIMITS,
    urlOf: addresses.urlOf,
  };
  endpoint.open({
    tokens,
    receiver: createTaskCallbacks({ tasks, calls, resources, clock, limits: DEFAULT_LIMITS }),
    clock,
    limits: DEFAULT_LIMITS,
    logger: silentLogger,
    connections: { clientAddress: () => null, clientGone: () => null },
    callbackUrlTokens: () => false,
  });
  const runtime = createToolRuntime({
    registry: createToolRegistry([{ ...plugin.found, text }]),
    transports: { [transportKindOf(plugin)]: transport },
    resources,
    addresses,
    calls,
    approvals: createMemoryApprovalStore(),
    approvalRules: NO_APPROVAL_RULES,
    tasks,
    callbacks,
    keys: createMemoryIdempotencyStore(new Map()),
    pause: { sleep, random: Math.random },
    workspace: await createCallWorkspace(join(root, 'calls'), join(root, 'plugins')),
    clock,
    ids,
    events: { emit: silent },
    logger: silentLogger,
    limits: DEFAULT_LIMITS,
    serverId: 'local',
    knownPaths,
  });
  return { runtime, tasks };
};

/** Milliseconds that the task of a case may take. */
const LONGEST_TASK_MS = 60_000;

const endOfTask = async (tasks: TaskService, taskId: string): Promise<CanonicalToolResult> => {
  const until = Date.now() + LONGEST_TASK_MS;
  for (;;) {
    const result = await tasks.endedWith(taskId);
    if (result !== null) return result;
    if (Date.now() > until) throw new Error(`the task did not end within ${LONGEST_TASK_MS} ms`);
    await sleep(20, NEVER);
  }
};
const NEVER = new AbortController().signal;

type Tapped = { readonly call: TransportCall; readonly payload: unknown };

/** The transport, with an ear on what passes: payloads as the plugin wrote them, before the core touches them. */
const tapped = (inner: TransportAdapter) => {
  let last: Tapped | null = null;
  let finished: unknown;
  const transport: TransportAdapter = {
    ...inner,
    execute: async (call) => {
      last = { call, payload: undefined };
      const { task } = call;
      const heard =
        task === null
          ? null
          : {
              ...task,
              finish: (payload: unknown) => {
                finished = structuredClone(payload);
                return task.finish(payload);
              },
            };
      const reply = await inner.execute({ ...call, task: heard });
      last = { call, payload: structuredClone(reply.payload) };
      return reply;
    },
  };
  const forget = () => {
    last = null;
    finished = undefined;
  };
  /** How a module in this process ended its task. */
  return { transport, last: () => last, finished: () => finished, forget };
};

const stdoutOf = async (
  call: TransportCall | null,
  plugin: PluginUnderTest,
  directories: { readonly data: string; readonly resources: string },
): Promise<Uint8Array | null> => {
  if (call === null) return null;
  const context = {
    invocationId: call.invocationId,
    requestId: call.requestId,
    toolName: plugin.name,
    source: call.source,
    actor: call.actor,
    requestIp: call.requestIp,
    deadline: new Date(Date.now() + 10_000).toISOString(),
    resourceDir: directories.resources,
    // Its task has ended by now, which the plugin is told when it calls back.
    ...(call.task === null
      ? {}
      : { task: { id: call.task.id, callbackUrl: call.task.callbackUrl, token: call.task.token } }),
  };
  const payload = { command: call.command.commandIdentifier, arguments: call.arguments, context };
  return await readRawStdout(plugin, { vcp: 'tool-invocation', version: '1.0', payload }, directories.data);
};
