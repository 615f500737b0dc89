import { createFairPlaces } from '../../src/lib/fair-places.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { messageOf } from '../../src/lib/message-of.ts';
import { QueueFull } from '../../src/lib/semaphore.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { SandboxOutcome, SandboxRun, WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import { answerHostCall } from '../../src/sandbox/guest/answer-host-call.ts';
import { GuestFault } from '../../src/sandbox/guest/guest-fault.ts';
import type { GuestChannel, GuestRequest } from '../../src/sandbox/guest/guest-state.ts';
import { lostOutcome, stoppedOutcome } from '../../src/sandbox/guest/outcomes.ts';
import {
  GuestNotStarted,
  importedFunctions,
  prepareGuest,
  type CreatePlugin,
} from '../../src/sandbox/guest/prepare-guest.ts';

export type IsolateSandboxOptions = {
  /** `wasmWorkers` is how many guests are in memory at once; 0 takes as many as an isolate has room for. */
  readonly limits: Pick<Limits, 'wasmWorkers' | 'wasmQueuedRuns' | 'wasmMemoryPages'>;
  readonly logger: Logger;
  /** Links a guest: `linkGuest`, or Extism's own for the foreground. */
  readonly createPlugin: CreatePlugin;
};

/** Pages of 64 KiB that all guests of an isolate may have together: it has 128 MB, and the server needs some of them. */
export const ISOLATE_GUEST_PAGES = 1_024;

/**
 * A sandbox for a runtime without threads: guests run where the server runs, one after the other while they compute and
 * side by side while they wait for the host. Fuel ends what computes for ever, since nothing else runs meanwhile; a run
 * that waits for its host ends with its signal. Modules must have been compiled when the server was deployed.
 */
export const createIsolateSandbox = ({ limits, logger, createPlugin }: IsolateSandboxOptions): WasmSandbox => {
  const room = Math.max(1, Math.floor(ISOLATE_GUEST_PAGES / limits.wasmMemoryPages));
  const places = createFairPlaces(limits.wasmWorkers || room, limits.wasmQueuedRuns);
  let running = 0;
  let isClosed = false;

  const runGuest = async (compiled: WebAssembly.Module, run: SandboxRun): Promise<SandboxOutcome> => {
    const { host, signal } = run;
    const ended = new AbortController();
    const broken = new Promise<never>((_, reject) => {
      const stop = () => {
        ended.abort();
        // Whoever waits inside the guest is thrown out of it, and its instance with it.
        reject(new GuestFault('host-misuse', 'the call was stopped'));
      };
      signal.addEventListener('abort', stop, { once: true, signal: ended.signal });
    });
    // Nobody may be waiting when it comes.
    broken.catch(() => undefined);

    const channel: GuestChannel = {
      call: async (call) => {
        const answered = await Promise.race([answerHostCall(host, call, ended.signal, logger), broken]);
        if ('misuse' in answered) throw new GuestFault('host-misuse', answered.misuse);
        return answered.answer;
      },
      log: (call) => void answerHostCall(host, call, ended.signal, logger),
    };
    const request: GuestRequest = {
      exportName: run.exportName,
      // The host's blocks take it as it is, and the caller's bytes are the caller's.
      input: run.input.slice(),
      limits: run.limits,
      refusals: Object.fromEntries(
        ['log' as const, ...importedFunctions(compiled)].map((name) => [name, host.refusalOf(name)]),
      ),
    };
    try {
      const guest = await prepareGuest(compiled, createPlugin);
      const end = await guest.run(request, channel);
      return signal.aborted ? stoppedOutcome(signal) : end;
    } catch (error) {
      if (error instanceof GuestNotStarted) return error.end;
      return lostOutcome(`the sandbox has failed: ${messageOf(error)}`);
    } finally {
      ended.abort();
    }
  };

  const execute = async (run: SandboxRun): Promise<SandboxOutcome> => {
    if (isClosed) return lostOutcome('the sandbox is closed');
    if (run.signal.aborted) return stoppedOutcome(run.signal);
    if (run.module.compiled === null) return lostOutcome('the module was not compiled when the server was deployed');
    running += 1;
    try {
      return await runGuest(run.module.compiled, run);
    } finally {
      running -= 1;
    }
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
      try {
        return await execute(run);
      } finally {
        free();
      }
    },
    // What was compiled belongs to the deployment, and nothing else is kept.
    forget: () => undefined,
    stats: () => ({ workers: running, idle: 0, recycled: 0 }),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
};
