import type { TransportReply } from '../../../src/ports/transport.ts';
import { raceWithSignal } from '../../../src/lib/deadline.ts';
import type { WorkerCall } from '../../../src/transport/stdio/worker-session.ts';
import type { WorkerProcess } from './worker-process.ts';

export type WorkerPoolOptions = {
  /** Most processes at once. */
  readonly processes: number;
  /** Calls of the tool that the runtime lets through at once. */
  readonly concurrency: number;
  /** `onChange` is called whenever a worker may have become able to take a call, or has gone. */
  start(onChange: () => void): Promise<WorkerProcess>;
};

/** The workers of one version of a plugin: never more processes than its manifest allows, those that end included. */
export type WorkerPool = {
  run(call: WorkerCall): Promise<TransportReply>;
  /** Ends every worker after its last call. */
  retire(): void;
  close(): Promise<void>;
  readonly workers: readonly WorkerProcess[];
};

export const createWorkerPool = ({ processes, concurrency, start }: WorkerPoolOptions): WorkerPool => {
  const callsPerWorker = Math.ceil(concurrency / processes);
  const workers = new Set<WorkerProcess>();
  const waiting = new Set<() => void>();
  /** A start under way; calls that need the same worker wait for the same start. */
  let starting: Promise<void> | null = null;
  let isRetired = false;
  /** Calls that look for a worker. They have begun on this version and need one that is open, also when it is retired. */
  let seeking = 0;

  const retireWorkers = () => {
    for (const worker of workers) worker.retire('its plugin was changed or switched off');
  };

  const wakeAll = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const changed = (signal: AbortSignal): Promise<void> =>
    raceWithSignal(new Promise<void>((resolve) => waiting.add(resolve)), signal);

  const free = (): WorkerProcess | null => {
    let best: WorkerProcess | null = null;
    for (const worker of workers) {
      if (!worker.isOpen || worker.isInDoubt || worker.inFlight >= callsPerWorker) continue;
      if (best === null || worker.inFlight < best.inFlight) best = worker;
    }
    return best;
  };

  const grow = (): Promise<void> => {
    starting ??= (async () => {
      try {
        const worker = await start(wakeAll);
        workers.add(worker);
        void worker.gone.then(() => {
          workers.delete(worker);
          wakeAll();
        });
        await worker.started;
        if (isRetired && seeking === 0) retireWorkers();
      } finally {
        starting = null;
        wakeAll();
      }
    })();
    return starting;
  };

  /** The reply is wrapped, so that it is not waited for here. */
  const assign = async (call: WorkerCall): Promise<{ readonly reply: Promise<TransportReply> }> => {
    for (;;) {
      // The news that a worker with nothing to do has left may be under way.
      if (free()?.inFlight === 0) await new Promise(setImmediate);
      const worker = free();
      const mayGrow = workers.size < processes;
      if (worker !== null) {
        // Busy already: the next calls shall find another one, without this call waiting for it.
        if (worker.inFlight > 0 && mayGrow && starting === null) void grow().catch(() => undefined);
        return { reply: worker.send(call) };
      }
      if (mayGrow) await raceWithSignal(grow(), call.signal);
      else await changed(call.signal);
    }
  };

  return {
    run: async (call) => {
      seeking += 1;
      const { reply } = await assign(call).finally(() => {
        seeking -= 1;
        if (isRetired && seeking === 0) retireWorkers();
      });
      return await reply;
    },
    retire: () => {
      isRetired = true;
      if (seeking === 0) retireWorkers();
    },
    close: async () => {
      isRetired = true;
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
    get workers() {
      return [...workers];
    },
  };
};
