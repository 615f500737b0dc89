import type { Actor, InvocationSource } from '../protocol/invocation.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { TaskState } from '../protocol/task.ts';

/**
 * A task (§4.8). Kind `plugin`: a plugin has accepted work and calls back. Kind `deferred`: a call of the runtime's own
 * that goes on after its caller was answered. Times are milliseconds since the epoch.
 */
export type StoredTask = {
  readonly id: string;
  readonly owner: string;
  readonly kind: 'plugin' | 'deferred';
  readonly toolName: string;
  readonly pluginVersion: string | null;
  /** The command as it was when the call was made: what comes back later is checked against its schemas. */
  readonly command: InvocationCommand | null;
  readonly state: TaskState;
  /** From 0 to 1. */
  readonly progress: number | null;
  readonly stage: string | null;
  readonly message: string | null;
  readonly invocationId: string;
  readonly requestId: string;
  readonly source: InvocationSource;
  readonly actor: Actor | null;
  readonly requestIp: string | null;
  /** The result that accepted the work. */
  readonly acceptedResultId: string | null;
  /** The result that ended it: there exactly when the state is terminal. */
  readonly resultId: string | null;
  readonly approvalId: string | null;
  readonly serverId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the sweeper ends it as `timed_out`. */
  readonly expiresAt: number;
};

/** `owner` null means all owners. Newest first; `cursor` is the opaque one of the page before. */
export type TaskQuery = {
  readonly owner: string | null;
  readonly toolName?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

export type TaskPage = { readonly tasks: readonly StoredTask[]; readonly nextCursor: string | null };

/** A change that does not end a task; what is left out stays. */
export type TaskAdvance = {
  readonly to?: Extract<TaskState, 'queued' | 'running'>;
  readonly progress?: number | null;
  readonly stage?: string | null;
  readonly message?: string | null;
  readonly acceptedResultId?: string;
  readonly at: number;
};

/**
 * Tasks, agreed between all that share the store: each change is one statement that compares and sets, so a state never
 * goes back (§10.4). The end of a task is written with its result, by `CallStore.settleTask`.
 */
export type TaskStore = {
  create(task: StoredTask): Promise<void>;
  get(id: string): Promise<StoredTask | null>;
  list(query: TaskQuery): Promise<TaskPage>;
  /** False when the task has ended, or has come further already, or is not there; then nothing was changed. */
  advance(id: string, change: TaskAdvance): Promise<boolean>;
  /** Tasks that have not ended and whose time was over by `now`, the oldest first. */
  overdue(now: number, most: number): Promise<readonly StoredTask[]>;
};
