import type { ToolStatus } from '../protocol/status.ts';
import { isTaskTransition, TaskState, TERMINAL_TASK_STATES } from '../protocol/task.ts';

/** The states that a task ends in. */
export type TerminalTaskState = Extract<TaskState, 'completed' | 'failed' | 'cancelled' | 'timed_out'>;

/** The states of a task that has not ended. */
export type OpenTaskState = Exclude<TaskState, TerminalTaskState>;

export const isTerminal = (state: TaskState): state is TerminalTaskState => TERMINAL_TASK_STATES.has(state);

/**
 * The state after a step, or null when there is no such step (§10.4): nothing leads back, nothing leads out of an end. A
 * result that comes before anybody said that the work runs implies that it did. A step that stays is one of progress.
 */
export const nextTaskState = (from: TaskState, to: TaskState): TaskState | null => {
  if (isTerminal(from)) return null;
  if (from === to || isTaskTransition(from, to)) return to;
  return from === 'created' && to === 'completed' ? to : null;
};

/** The states from which a step leads to `to`: what a statement compares with before it sets. */
export const statesBefore = (to: TaskState): readonly TaskState[] =>
  TaskState.options.filter((from) => nextTaskState(from, to) !== null);

/** How a task ends by a result; null for `accepted`, which ends none. */
export const endOfTask = (status: ToolStatus): TerminalTaskState | null => ENDS[status];

const ENDS = {
  success: 'completed',
  partial: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
  timeout: 'timed_out',
  accepted: null,
} as const satisfies Record<ToolStatus, TerminalTaskState | null>;
