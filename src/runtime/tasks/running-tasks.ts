import { chunksOf } from '../../lib/chunks-of.ts';
import type { Failure } from '../../lib/failure.ts';
import type { StoredTask, TaskStore } from '../../ports/task-store.ts';
import type { BackgroundWork } from '../../ports/transport.ts';
import type { Followers } from './followers.ts';

/** What runs in this process for tasks: calls that have no outcome yet, and work behind an `accepted`. */
export type RunningTasks = {
  underway(taskId: string, stop: () => void): () => void;
  /** `onFault` is told when the work has broken off. */
  adopt(task: StoredTask, work: BackgroundWork, onFault: (failure: Failure) => Promise<void>): void;
  stop(taskId: string): void;
  /** The task has its result: what still runs may come to its own end. */
  release(taskId: string): void;
  /** Stops or lets go what runs for those of the tasks that have ended, here or in another process; for all by default. */
  stopEnded(taskIds?: readonly string[]): Promise<void>;
  /** The work behind an `accepted`, with its task. */
  background(): readonly { readonly task: StoredTask; readonly work: BackgroundWork }[];
};

type Entry = { readonly task: StoredTask | null; readonly stop: () => void; readonly work: BackgroundWork | null };

const ASKED_AT_ONCE = 500;

export const createRunningTasks = (
  store: Pick<TaskStore, 'ended' | 'get'>,
  followers: Pick<Followers, 'changed'>,
): RunningTasks => {
  const running = new Map<string, Entry>();

  const stop = (taskId: string) => {
    const entry = running.get(taskId);
    entry?.stop();
    entry?.work?.stop();
  };
  const release = (taskId: string) => running.get(taskId)?.work?.release();
  const leave = (taskId: string, entry: Entry) => {
    if (running.get(taskId) === entry) running.delete(taskId);
  };

  return {
    underway: (taskId, stopCall) => {
      const entry: Entry = { task: null, stop: stopCall, work: null };
      running.set(taskId, entry);
      return () => leave(taskId, entry);
    },
    adopt: (task, work, onFault) => {
      const entry: Entry = { task, stop: () => undefined, work };
      running.set(task.id, entry);
      void work.ended.then(async (fault) => {
        leave(task.id, entry);
        if (fault === null) return;
        const { code, message, details, retryable } = fault;
        await onFault({ code, message, details, retryable });
      });
    },
    stop,
    release,
    stopEnded: async (taskIds = [...running.keys()]) => {
      for (const asked of chunksOf(taskIds, ASKED_AT_ONCE)) {
        for (const id of await store.ended(asked)) {
          const task = await store.get(id);
          if (task?.state === 'completed' || task?.state === 'failed') release(id);
          else stop(id);
          followers.changed(id);
        }
      }
    },
    background: () =>
      [...running.values()].flatMap(({ task, work }) => (task === null || work === null ? [] : [{ task, work }])),
  };
};
