import type { TaskState } from '../protocol/task.ts';

/** States that a task does not leave (§10.4). Written down here: the schemas of the protocol are no part of the client. */
export const TERMINAL_STATES: ReadonlySet<TaskState> = new Set<TaskState>([
  'completed',
  'failed',
  'cancelled',
  'timed_out',
]);
