import { readTaskCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import type { StoredTask, TakenCallback, TaskStore } from '../../src/ports/task-store.ts';
import type { TaskState } from '../../src/protocol/task.ts';
import { isTerminal, nextTaskState } from '../../src/task/task-state.ts';

/** What a task store and the call store beside it share. */
export type MemoryTasks = {
  readonly tasks: Map<string, StoredTask>;
  /** By the task's id and the callback's own. */
  readonly callbacks: Map<string, Map<string, TakenCallback>>;
};

export const createMemoryTasks = (): MemoryTasks => ({ tasks: new Map(), callbacks: new Map() });

/** Notes a callback as taken. */
export const takeCallback = ({ callbacks }: MemoryTasks, taskId: string, callback: TakenCallback): void => {
  const taken = callbacks.get(taskId) ?? new Map<string, TakenCallback>();
  taken.set(callback.webhookId, callback);
  callbacks.set(taskId, taken);
};

/** Tasks in this process alone. */
export const createMemoryTaskStore = (shared: MemoryTasks = createMemoryTasks()): TaskStore => {
  const { tasks, callbacks } = shared;
  return {
    create: async (task) => {
      if (tasks.has(task.id)) throw new Error(`stored already: ${task.id}`);
      tasks.set(task.id, task);
    },
    get: async (id) => tasks.get(id) ?? null,
    list: async (query) => {
      const before = query.cursor === undefined ? null : readTaskCursor(query.cursor);
      const found = [...tasks.values()]
        .filter((task) => query.owner === null || task.owner === query.owner)
        .filter((task) => query.toolName === undefined || task.toolName === query.toolName)
        .filter((task) => query.states === undefined || query.states.includes(task.state))
        .filter((task) => before === null || task.id < before)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        tasks: page,
        nextCursor: found.length > query.limit && last !== undefined ? recordCursor(last.id) : null,
      };
    },
    advance: async (id, { to, progress, stage, message, at }, callback) => {
      const task = tasks.get(id);
      if (task === undefined || nextTaskState(task.state, to ?? task.state) === null) return false;
      if (callback !== undefined) {
        if (callbacks.get(id)?.has(callback.webhookId) === true) return false;
        takeCallback(shared, id, callback);
      }
      tasks.set(id, {
        ...task,
        state: to ?? task.state,
        progress: progress === undefined ? task.progress : progress,
        stage: stage === undefined ? task.stage : stage,
        message: message === undefined ? task.message : message,
        updatedAt: at,
      });
      return true;
    },
    takenCallbacks: async (id, webhookId) => {
      const taken = callbacks.get(id);
      return {
        sameId: taken?.get(webhookId) ?? null,
        last: [...(taken?.values() ?? [])].find(({ endsTask }) => endsTask) ?? null,
      };
    },
    overdue: async (now, most) =>
      [...tasks.values()]
        .filter(({ state, expiresAt }) => !isTerminal(state) && expiresAt <= now)
        .toSorted((a, b) => a.expiresAt - b.expiresAt)
        .slice(0, most),
    ended: async (ids) => new Set(ids.filter((id) => isTerminal(tasks.get(id)?.state ?? 'failed'))),
    countOpen: async () => {
      const counts = new Map<TaskState, number>();
      for (const { state } of tasks.values()) {
        if (!isTerminal(state)) counts.set(state, (counts.get(state) ?? 0) + 1);
      }
      return counts;
    },
    forgetCallbacks: async (before) => {
      let forgotten = 0;
      for (const taken of callbacks.values()) {
        for (const [webhookId, { endsTask, at }] of taken) {
          if (!endsTask && at < before && taken.delete(webhookId)) forgotten += 1;
        }
      }
      return forgotten;
    },
    removeEnded: async (before, most) => {
      const gone = [...tasks.values()]
        .filter(({ state, updatedAt }) => isTerminal(state) && updatedAt < before)
        .toSorted((a, b) => a.updatedAt - b.updatedAt)
        .slice(0, most);
      for (const { id } of gone) {
        tasks.delete(id);
        callbacks.delete(id);
      }
      return gone.length;
    },
  };
};
