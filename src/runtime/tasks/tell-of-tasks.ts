import type { EventSink } from '../../ports/event-sink.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { ProgressReport } from '../../protocol/stdio-frame.ts';
import type { TaskState } from '../../protocol/task.ts';
import type { Followers } from './followers.ts';

/** The result that ended a task, for the event that tells of it. */
export type EndTold = { readonly resultId: string; readonly recordId: string | null };

/** Tells of tasks, after what is told has been stored: so that who looks finds it. */
export type TaskTeller = {
  state(task: StoredTask, state: TaskState, progress: number | null, ended: EndTold | null): void;
  progress(task: StoredTask, report: ProgressReport): void;
};

export const createTaskTeller = (events: EventSink, followers: Followers): TaskTeller => {
  const addressOf = ({ owner }: StoredTask) => ({ audience: { to: 'owner', owner } }) as const;
  return {
    state: (task, state, progress, ended) => {
      const data = { state, progress, resultId: ended?.resultId ?? null };
      events.emit({ type: 'task', ...idsOf(task), ...ended, data }, addressOf(task));
      followers.changed(task.id);
    },
    progress: (task, report) => {
      events.emit({ type: 'vcp_info', ...idsOf(task), ...report }, addressOf(task));
      followers.changed(task.id);
    },
  };
};

const idsOf = ({ id, invocationId, requestId, toolName, approvalId }: StoredTask) => ({
  taskId: id,
  invocationId,
  requestId,
  toolName,
  ...(approvalId === null ? {} : { approvalId }),
});
