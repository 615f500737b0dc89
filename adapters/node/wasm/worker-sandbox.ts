import { availableParallelism } from 'node:os';
import { raceWithSignal, stopReasonOf } from '../../../src/lib/deadline.ts';
import { describeFault } from '../../../src/lib/describe-fault.ts';
import { createFairPlaces } from '../../../src/lib/fair-places.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { QueueFull } from '../../../src/lib/semaphore.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import {
  HostMisuse,
  type HostCall,
  type SandboxHost,
  type SandboxOutcome,
  type SandboxRun,
  type SandboxUsage,
  type WasmSandbox,
} from '../../../src/ports/wasm-sandbox.ts';
import { createCompiledModules, type CompiledModule } from './compiled-modules.ts';
import type { SandboxThread } from './sandbox-thread.ts';
import { createThreadPool } from './thread-pool.ts';

export type WorkerSandboxOptions = {
  readonly limits: Pick<
    Limits,
    'wasmWorkers' | 'wasmWorkerRuns' | 'wasmWorkerMemoryBytes' | 'wasmIdleMs' | 'wasmQueuedRuns'
  >;
  readonly logger: Logger;
};

/** A sandbox that can be told to expect runs. */
export type WorkerSandbox = WasmSandbox & {
  /** Boots a thread for the first run to come. */
  warm(): void;
};

const UNKNOWN_USAGE: SandboxUsage = { fuel: null, memoryPages: null, droppedLogBytes: 0 };

/**
 * A sandbox for Node and Deno: threads of their own, each with one run at a time. A thread whose run is over its
 * deadline is terminated, and another one that has booted already takes the next run.
 */
export const createWorkerSandbox = ({ limits, logger }: WorkerSandboxOptions): WorkerSandbox => {
  const places = createFairPlaces(limits.wasmWorkers || Math.max(4, 2 * availableParallelism()), limits.wasmQueuedRuns);
  const modules = createCompiledModules();
  const pool = createThreadPool(limits);
  /** Modules of which no instances are made ahead, because one took too long. */
  const slow = new Set<string>();
  let isClosed = false;

  /** `free` is called when the thread no longer takes up a place, which may be later than the end of the run. */
  const runIn = (thread: SandboxThread, { module, imported }: CompiledModule, run: SandboxRun, free: () => void) =>
    new Promise<SandboxOutcome>((resolve) => {
      const { digest } = run.module;
      const ended = new AbortController();
      let isSettled = false;
      const settle = (outcome: SandboxOutcome) => {
        if (isSettled) return;
        isSettled = true;
        run.signal.removeEventListener('abort', onAbort);
        ended.abort();
        resolve(outcome);
      };
      const onAbort = () => {
        settle(stopped(run.signal));
        pool.drop(thread);
      };
      run.signal.addEventListener('abort', onAbort, { once: true });
      try {
        thread.run({
          digest,
          module,
          preparesNext: !slow.has(digest),
          request: {
            exportName: run.exportName,
            input: run.input,
            limits: run.limits,
            refusals: Object.fromEntries(['log' as const, ...imported].map((name) => [name, run.host.refusalOf(name)])),
          },
          onCall: (call) => answerOf(run.host, call, ended.signal, logger),
          // No guest waits for it, so nobody is left to be told that it failed.
          onLog: (call) => void answerOf(run.host, call, ended.signal, logger),
          onEnd: (end) => {
            settle(end.type === 'lost' ? lost(`the thread of the sandbox was lost: ${end.reason}`) : end);
          },
          onFree: (how) => {
            if (how === 'idle') pool.give(thread);
            else if (how === 'slow') {
              slow.add(digest);
              pool.drop(thread);
            }
            free();
          },
        });
      } catch (error) {
        settle(lost(`the run did not begin: ${messageOf(error)}`));
        pool.drop(thread);
        free();
      }
    });

  const execute = async (run: SandboxRun, free: () => void): Promise<SandboxOutcome> => {
    let compiled: CompiledModule;
    try {
      compiled = await raceWithSignal(modules.get(run.module), run.signal);
    } catch (error) {
      free();
      if (run.signal.aborted) return stopped(run.signal);
      return lost(`the module does not compile: ${messageOf(error)}`);
    }
    // It may have been stopped since; a listener that is added now would not hear of it.
    if (isClosed || run.signal.aborted) {
      free();
      return isClosed ? lost('the sandbox is closed') : stopped(run.signal);
    }
    return runIn(pool.take(run.module.digest), compiled, run, free);
  };

  return {
    run: async (run) => {
      let free: () => void;
      try {
        free = await places.acquire(run.module.digest, run.signal);
      } catch (error) {
        if (error instanceof QueueFull) throw error;
        return stopped(run.signal);
      }
      return execute(run, free);
    },
    forget: ({ digest }) => {
      modules.forget(digest);
      slow.delete(digest);
      pool.forget(digest);
    },
    warm: () => pool.keepSpare(),
    stats: () => pool.stats(),
    close: () => {
      isClosed = true;
      return pool.close();
    },
  };
};

const stopped = (signal: AbortSignal): SandboxOutcome => ({
  type: 'stopped',
  reason: stopReasonOf(signal),
  usage: UNKNOWN_USAGE,
});

const lost = (message: string): SandboxOutcome => ({
  type: 'fault',
  fault: 'sandbox-lost',
  message,
  usage: UNKNOWN_USAGE,
});

/** What the thread is told of a call of a host function. A bug of ours must not look like the guest's fault. */
const answerOf = async (host: SandboxHost, call: HostCall, signal: AbortSignal, logger: Logger) => {
  try {
    const { bytes = null, ...answer } = { bytes: undefined, ...(await host.call(call, signal)) };
    return { answer: { text: JSON.stringify(answer), bytes: bytes } };
  } catch (error) {
    if (error instanceof HostMisuse) return { misuse: error.message };
    if (!signal.aborted) logger.error('wasm.host-call-failed', { function: call.name, fault: describeFault(error) });
    const told = { code: 'INTERNAL_ERROR', message: `${call.name} failed inside the server` };
    return { answer: { text: JSON.stringify({ error: told }), bytes: null } };
  }
};
