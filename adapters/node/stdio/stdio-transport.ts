import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { stopReasonOf } from '../../../src/lib/deadline.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import {
  CallStopped,
  TransportError,
  type BackgroundWork,
  type PluginLocation,
  type TransportAdapter,
  type TransportCall,
} from '../../../src/ports/transport.ts';
import type { ToolInvocationFrame } from '../../../src/protocol/stdio-frame.ts';
import { concurrencyOf } from '../../../src/transport/concurrency-of.ts';
import { invocationOf } from '../../../src/transport/invocation-of.ts';
import { childEnvironment } from './child-environment.ts';
import { createChildGuard } from './child-guard.ts';
import { startChild, type Child, type ChildSpec, type StartChild } from './child-process.ts';
import { startOneshotProcess } from './oneshot-process.ts';
import { placeInputs } from './place-inputs.ts';
import { resolveInterpreter } from './resolve-interpreter.ts';
import { createStandbyPool } from './standby-pool.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';
import { startWorkerProcess } from './worker-process.ts';

export type StdioTransportOptions = {
  readonly limits: Limits;
  readonly logger: Logger;
  /** Directory below which every plugin has its own data directory. */
  readonly pluginDataRoot: string;
  /** The declared configuration of a plugin, as environment variables. */
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
};

/**
 * Plugins as child processes (§11): one process a call, started ahead where the plugin allows it, or long-lived
 * workers that answer many calls at once.
 */
export const createStdioTransport = (options: StdioTransportOptions): TransportAdapter => {
  const { limits, logger } = options;
  const guard = createChildGuard();
  const running = new Set<Child>();
  const pools = new Map<PluginLocation, WorkerPool>();
  const retired = new WeakSet<PluginLocation>();
  /** Workers that have gone, by tool. */
  const recycled = new Map<string, number>();
  let isClosing = false;
  // A host that ends without closing us (a second signal, an uncaught fault) must not leave processes behind.
  const onExit = () => {
    for (const child of running) child.kill();
  };
  process.on('exit', onExit);

  const start: StartChild = (spec, childLimits, onStdout) => {
    const child = startChild(spec, childLimits, onStdout, guard);
    running.add(child);
    const remove = () => void running.delete(child);
    child.closed.then(remove, remove);
    return child;
  };

  const standby = createStandbyPool({
    limits,
    logger,
    start: async (plugin) =>
      startOneshotProcess(start, await childSpecOf(plugin, 'oneshot', options), limitsOf(plugin, limits), logger),
  });

  const poolOf = (plugin: PluginLocation): WorkerPool => {
    let pool = pools.get(plugin);
    if (pool === undefined) {
      pool = createWorkerPool({
        processes: plugin.manifest.communication.processes,
        concurrency: concurrencyOf(plugin.manifest, limits),
        start: async (onChange) => {
          const toolName = plugin.manifest.name;
          const spec = await childSpecOf(plugin, 'worker', options);
          const worker = startWorkerProcess({
            onChange,
            toolName,
            start,
            spec,
            limits: limitsOf(plugin, limits),
            logger,
          });
          void worker.gone.then(() => recycled.set(toolName, (recycled.get(toolName) ?? 0) + 1));
          return worker;
        },
      });
      pools.set(plugin, pool);
    }
    return pool;
  };

  const runOneshot = async (call: TransportCall, frame: ToolInvocationFrame) => {
    try {
      const taken = await standby.take(call.plugin);
      return await taken.run(call, `${JSON.stringify(frame)}\n`);
    } finally {
      standby.finished(call.plugin);
    }
  };

  const refuseLateCall = (call: TransportCall) => {
    if (isClosing) throw new TransportError('TRANSPORT_FAILURE', 'the server is shutting down', null, true, false);
    if (call.signal.aborted) throw new CallStopped(stopReasonOf(call.signal));
  };

  const run = async (call: TransportCall) => {
    const inputs = await placeInputs(call).catch((error: unknown) => {
      refuseLateCall(call);
      throw error;
    });
    let background: BackgroundWork | undefined;
    try {
      const frame = await invocationFrameOf({ ...call, arguments: inputs.arguments });
      refuseLateCall(call);
      const { invocationId, signal, reportProgress } = call;
      const reply =
        call.plugin.manifest.communication.mode === 'oneshot'
          ? await runOneshot(call, frame)
          : await poolOf(call.plugin).run({ frame: { ...frame, invocationId }, signal, reportProgress });
      ({ background } = reply);
      return reply;
    } finally {
      // What goes on in the background still reads its files.
      if (background === undefined) await inputs.remove();
      else {
        void background.ended.then(inputs.remove).catch((error: unknown) => {
          logger.warn('stdio.inputs-not-removed', { invocationId: call.invocationId, fault: messageOf(error) });
        });
      }
    }
  };

  const retire = (plugin: PluginLocation) => {
    standby.retire(plugin);
    pools.get(plugin)?.retire();
    pools.delete(plugin);
  };

  return {
    execute: async (call) => {
      try {
        return await run(call);
      } finally {
        // A call that had begun when its version was retired, and got here later, may have made things ready anew.
        if (retired.has(call.plugin)) retire(call.plugin);
      }
    },
    retire: (plugin) => {
      retired.add(plugin);
      retire(plugin);
    },
    stats: () => [
      ...standby.stats().map(({ plugin, inUse, idle }) => ({
        toolName: plugin.manifest.name,
        mode: 'oneshot',
        processes: inUse + idle,
        idle,
        recycled: 0,
      })),
      ...[...pools].map(([{ manifest }, { workers }]) => ({
        toolName: manifest.name,
        mode: 'worker',
        processes: workers.length,
        idle: workers.filter(({ inFlight }) => inFlight === 0).length,
        recycled: recycled.get(manifest.name) ?? 0,
      })),
    ],
    close: async () => {
      isClosing = true;
      standby.close();
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      await Promise.all([...running].map((child) => child.stop()));
      process.off('exit', onExit);
      guard.close();
    },
  };
};

/** A manifest may ask for less than the server allows, not for more. */
const limitsOf = ({ manifest }: PluginLocation, limits: Limits): Limits => ({
  ...limits,
  frameBytes: Math.min(limits.frameBytes, manifest.limits?.outputBytes ?? Number.POSITIVE_INFINITY),
  stderrBytes: Math.min(limits.stderrBytes, manifest.limits?.logBytes ?? Number.POSITIVE_INFINITY),
});

const childSpecOf = async (
  plugin: PluginLocation,
  mode: 'oneshot' | 'worker',
  options: StdioTransportOptions,
): Promise<ChildSpec> => {
  const { entryPoint, name } = plugin.manifest;
  if (entryPoint.type !== 'command' || plugin.directory === null) {
    throw new TransportError('INTERNAL_ERROR', `${name} has no command to start`);
  }
  const dataDirectory = join(options.pluginDataRoot, name);
  await mkdir(dataDirectory, { recursive: true });
  return {
    command: await resolveInterpreter(entryPoint.command),
    args: entryPoint.args,
    cwd: plugin.directory,
    env: childEnvironment({ dataDirectory, mode, configuration: options.configurationOf(plugin) }),
  };
};

const invocationFrameOf = async (call: TransportCall): Promise<ToolInvocationFrame> => ({
  vcp: 'tool-invocation',
  version: '1.0',
  payload: invocationOf(call, { resourceDir: await call.resourceDirectory() }),
});
