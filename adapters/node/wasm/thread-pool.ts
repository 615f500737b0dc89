import type { SandboxStats } from '../../../src/ports/wasm-sandbox.ts';
import { startSandboxThread, type SandboxThread } from './sandbox-thread.ts';

export type ThreadPoolLimits = {
  /** Runs after which a thread is replaced. */
  readonly wasmWorkerRuns: number;
  /** Bytes of a thread's heap and buffers above which it is replaced after its run. */
  readonly wasmWorkerMemoryBytes: number;
  /** Milliseconds without a run after which a thread ends that is not the last. */
  readonly wasmIdleMs: number;
};

/** Threads that are lent for one run each. How many at once is for the caller to bound. */
export type ThreadPool = {
  /** The idle thread that is readiest for this module, or a new one. */
  take(digest: string): SandboxThread;
  /** A thread whose run has ended by itself, and in which nothing of its module runs any more. */
  give(thread: SandboxThread): void;
  /** A thread that must end with whatever is inside. */
  drop(thread: SandboxThread): void;
  forget(digest: string): void;
  /** Has a thread ready, as after a run. */
  keepSpare(): void;
  stats(): SandboxStats;
  /** Ends all threads, and resolves when the last is gone. */
  close(): Promise<void>;
};

export const createThreadPool = (limits: ThreadPoolLimits): ThreadPool => {
  const busy = new Set<SandboxThread>();
  /** Since when each is idle; the one that waits longest first. */
  const idle = new Map<SandboxThread, number>();
  /** Threads that were told to end and are still there. */
  const ending = new Set<Promise<void>>();
  let recycled = 0;
  let isClosed = false;

  const evictionTimer = setInterval(() => evict(), Math.max(1, limits.wasmIdleMs / 2));
  evictionTimer.unref();

  const start = (): SandboxThread => {
    const thread = startSandboxThread(() => {
      recycled += 1;
      busy.delete(thread);
      idle.delete(thread);
    });
    return thread;
  };

  const end = (thread: SandboxThread) => {
    busy.delete(thread);
    idle.delete(thread);
    const ended = thread.end().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  /** The next run must not wait for a thread to boot, also when this one has to be killed. */
  const keepSpare = () => {
    const isOneSoonIdle = [...busy].some((thread) => thread.isPreparing);
    if (!isClosed && idle.size === 0 && !isOneSoonIdle) idle.set(start(), performance.now());
  };

  const evict = () => {
    for (const [thread, since] of idle) {
      if (idle.size === 1 || performance.now() - since < limits.wasmIdleMs) return;
      end(thread);
    }
  };

  const readiest = (digest: string): SandboxThread | undefined => {
    const latestFirst = [...idle.keys()].toReversed();
    return (
      latestFirst.find((thread) => thread.hasPrepared(digest)) ??
      latestFirst.find((thread) => thread.isBooted) ??
      latestFirst[0]
    );
  };

  return {
    take: (digest) => {
      const thread = readiest(digest) ?? start();
      idle.delete(thread);
      busy.add(thread);
      keepSpare();
      return thread;
    },
    give: (thread) => {
      if (!busy.delete(thread)) return;
      const isWorn = thread.runs >= limits.wasmWorkerRuns || thread.heldBytes > limits.wasmWorkerMemoryBytes;
      if (!isWorn && !isClosed) {
        idle.set(thread, performance.now());
        return;
      }
      recycled += 1;
      end(thread);
      keepSpare();
    },
    drop: (thread) => {
      if (!busy.has(thread)) return;
      recycled += 1;
      end(thread);
      keepSpare();
    },
    keepSpare,
    forget: (digest) => {
      for (const thread of [...busy, ...idle.keys()]) thread.forget(digest);
    },
    stats: () => ({ workers: busy.size + idle.size, idle: idle.size, recycled }),
    close: async () => {
      isClosed = true;
      clearInterval(evictionTimer);
      for (const thread of [...busy, ...idle.keys()]) end(thread);
      await Promise.all(ending);
    },
  };
};
