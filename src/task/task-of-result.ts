import type { ToolStatus } from '../protocol/status.ts';
import type { Task } from '../protocol/task.ts';
import { taskPlaceholder } from './task-placeholder.ts';
import { endOfTask } from './task-state.ts';

/** Milliseconds after which a task is worth a look, where its plugin does not say. */
const POLL_AFTER_MS = 2_000;

/** The `task` of a result that belongs to one: what the plugin says of it, and what only the core knows. */
export const taskOfResult = (
  { id, toolName }: { readonly id: string; readonly toolName: string },
  status: ToolStatus,
  said: Task | null,
): Task => {
  const end = endOfTask(status);
  if (end !== null) {
    const progress = end === 'completed' ? 1 : (said?.progress ?? null);
    // Nothing stands for what is here.
    return { id, state: end, progress, pollAfterMs: null, placeholder: null };
  }
  return {
    id,
    state: said?.state ?? 'created',
    progress: said?.progress ?? null,
    pollAfterMs: said?.pollAfterMs ?? POLL_AFTER_MS,
    placeholder: taskPlaceholder(toolName, id),
  };
};
