import { raceWithSignal, stopReasonOf } from '../../lib/deadline.ts';
import { messageOf } from '../../lib/message-of.ts';
import {
  CallStopped,
  TransportError,
  type PluginLocation,
  type TransportAdapter,
  type TransportCall,
  type TransportReply,
} from '../../ports/transport.ts';
import { GUEST_ENTRY, type SandboxModule, type WasmSandbox } from '../../ports/wasm-sandbox.ts';
import type { Warning } from '../../protocol/warning.ts';
import { guestInput, type GuestSurroundings } from './guest-input.ts';
import { createSandboxHost, type SandboxHostPorts } from './host/create-sandbox-host.ts';
import { createModuleUse } from './module-use.ts';
import { readGuestOutput } from './read-guest-output.ts';
import { sandboxFailure } from './sandbox-failure.ts';
import { sandboxLimitsOf, type WasmLimits } from './wasm-limits.ts';

/** Gives the checked and instrumented module of a plugin. Modules are told apart by digest; the same one may come for several plugins. */
export type SandboxModules = { load(plugin: PluginLocation): Promise<SandboxModule> };

export type WasmTransportOptions = SandboxHostPorts & {
  readonly sandbox: WasmSandbox;
  readonly modules: SandboxModules;
  readonly limits: WasmLimits;
  /** IANA name of the server's time zone. */
  readonly timeZone: string;
  /** 32 random bits, other ones for each call. */
  seed(): number;
};

/** Calls WebAssembly plugins in a sandbox: an instance for each call, which reaches what its manifest grants. */
export const createWasmTransport = (options: WasmTransportOptions): TransportAdapter => {
  const { sandbox, modules, limits, timeZone } = options;
  const use = createModuleUse((module) => sandbox.forget(module));

  const run = async (call: TransportCall, module: SandboxModule): Promise<TransportReply> => {
    const granted = sandboxLimitsOf(call.plugin.manifest, limits);
    const host = createSandboxHost(call, { limits, run: granted }, options);
    const surroundings: GuestSurroundings = { now: options.now(), timeZone, seed: options.seed() };
    const running = sandbox.run({
      module,
      exportName: GUEST_ENTRY,
      input: guestInput(call, surroundings),
      limits: granted,
      host,
      signal: call.signal,
    });
    const outcome = await orStopped(running, call.signal, running);
    if (outcome.type === 'stopped') throw new CallStopped(outcome.reason);
    const dropped = host.droppedLogBytes() + outcome.usage.droppedLogBytes;
    if (outcome.type === 'fault') throw sandboxFailure(outcome, granted, dropped, call.plugin.manifest.limits);
    return {
      payload: readGuestOutput(outcome.bytes, {
        jsonDepth: limits.jsonDepth,
        jsonNodes: Math.min(limits.jsonNodes, limits.wasmOutputNodes),
      }),
      warnings: dropped > 0 ? [logTruncated(dropped, granted.logBytes)] : [],
    };
  };

  return {
    execute: async (call) => {
      const { signal, plugin } = call;
      const module = await orStopped(load(plugin, modules), signal);
      const release = use.enter(plugin, module);
      try {
        return await run(call, module);
      } finally {
        release();
      }
    },
    retire: use.retire,
    stats: () => {
      const { workers, idle, recycled } = sandbox.stats();
      return [{ toolName: '', mode: 'wasm', processes: workers, idle, recycled }];
    },
    close: () => sandbox.close(),
  };
};

const load = async (plugin: PluginLocation, modules: SandboxModules): Promise<SandboxModule> => {
  try {
    return await modules.load(plugin);
  } catch (error) {
    if (error instanceof TransportError) throw error;
    throw new TransportError('INTERNAL_ERROR', `the plugin's module failed to load: ${messageOf(error)}`);
  }
};

/** A call settles when its signal aborts, also where the sandbox needs a moment more: it keeps its place until then. */
const orStopped = async <T>(
  work: Promise<T>,
  signal: AbortSignal,
  keepsPlace: Promise<unknown> | null = null,
): Promise<T> => {
  try {
    return await raceWithSignal(work, signal);
  } catch (error) {
    throw signal.aborted ? new CallStopped(stopReasonOf(signal), null, keepsPlace) : error;
  }
};

const logTruncated = (droppedBytes: number, logBytes: number): Warning => ({
  code: 'LOG_TRUNCATED',
  message: `the plugin logged more than ${logBytes} bytes; ${droppedBytes} bytes were dropped`,
  target: null,
  details: { limit: 'logBytes', logBytes, droppedBytes },
});
