import type { TaskState } from '../protocol/task.ts';

/** Which tasks: `cursor` is the `nextCursor` of the page before. */
export type TasksQuery = {
  readonly tool?: string;
  readonly state?: TaskState;
  readonly limit?: number;
  readonly cursor?: string;
};
