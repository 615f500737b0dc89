import type { TaskState } from '../protocol/task.ts';

/** A task as it is listed. */
export type TaskSummary = {
  readonly id: string;
  readonly tool: string;
  readonly command: string | null;
  readonly state: TaskState;
  /** From 0 to 1. */
  readonly progress: number | null;
  readonly stage: string | null;
  readonly message: string | null;
  readonly invocationId: string;
  readonly requestId: string;
  /** The result that ended it; there when it has ended. */
  readonly resultId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
};

export type TaskListing = { readonly tasks: readonly TaskSummary[]; readonly nextCursor: string | null };

/** Which tasks: `cursor` is the `nextCursor` of the page before. */
export type TasksQuery = {
  readonly tool?: string;
  readonly state?: TaskState;
  readonly limit?: number;
  readonly cursor?: string;
};
