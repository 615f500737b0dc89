import { availableParallelism } from 'node:os';
import { raceWithSignal } from '../../../src/lib/deadline.ts';
import { createFairPlaces } from '../../../src/lib/fair-places.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { QueueFull } from '../../../src/lib/semaphore.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { SandboxOutcome, SandboxRun, WasmSandbox } from '../../../src/ports/wasm-sandbox.ts';
import { answerHostCall } from '../../../src/sandbox/guest/answer-host-call.ts';
import { lostOutcome, stoppedOutcome } from '../../../src/sandbox/guest/outcomes.ts';
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
        settle(stoppedOutcome(run.signal));
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
          onCall: (call) => answerHostCall(run.host, call, ended.signal, logger),
          // No guest waits for it, so nobody is left to be told that it failed.
          onLog: (call) => void answerHostCall(run.host, call, ended.signal, logger),
          onEnd: (end) => {
            settle(end.type === 'lost' ? lostOutcome(`the thread of the sandbox was lost: ${end.reason}`) : end);
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
        settle(lostOutcome(`the run did not begin: ${messageOf(error)}`));
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
      if (run.signal.aborted) return stoppedOutcome(run.signal);
      return lostOutcome(`the module does not compile: ${messageOf(error)}`);
    }
    // It may have been stopped since; a listener that is added now would not hear of it.
    if (isClosed || run.signal.aborted) {
      free();
      return isClosed ? lostOutcome('the sandbox is closed') : stoppedOutcome(run.signal);
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
        return stoppedOutcome(run.signal);
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
