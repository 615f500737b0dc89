import type { Actor, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
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
  readonly displayName: string | null;
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
  readonly nodeId: string | null;
  /** What the core adds to the extensions of the result that ends it; it depends on the arguments of the call. */
  readonly extensions: JsonObject;
  /** The result that accepted the work. */
  readonly acceptedResultId: string | null;
  /** The result that ended it: there exactly when the state is terminal. */
  readonly resultId: string | null;
  readonly approvalId: string | null;
  readonly serverId: string;
  /** When the call began that it belongs to. */
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
  readonly at: number;
};

/** A callback that was taken: what came, by its id and the SHA-256 of what it said, and what was answered. */
export type TakenCallback = {
  readonly webhookId: string;
  readonly digest: string;
  readonly endsTask: boolean;
  readonly answer: JsonObject;
  readonly at: number;
};

/**
 * Tasks, agreed between all that share the store: each change is one statement that compares and sets, so a state never
 * goes back (§10.4). The end of a task is written with its result, by `CallStore.settleTask`.
 */
export type TaskStore = {
  create(task: StoredTask): Promise<void>;
  get(id: string): Promise<StoredTask | null>;
  /** Throws `InvalidCursor`. */
  list(query: TaskQuery): Promise<TaskPage>;
  /**
   * False when the task has ended, or has come further already, or is not there, or when a callback of this id was taken
   * already; then nothing was changed. With `callback`, it counts as taken in the same moment.
   */
  advance(id: string, change: TaskAdvance, callback?: TakenCallback): Promise<boolean>;
  /** The callback of this id that was taken, and the one that ended the task. */
  takenCallbacks(
    id: string,
    webhookId: string,
  ): Promise<{ readonly sameId: TakenCallback | null; readonly last: TakenCallback | null }>;
  /** Tasks that have not ended and whose time was over by `now`, the oldest first. */
  overdue(now: number, most: number): Promise<readonly StoredTask[]>;
  /** Those of the tasks that have ended, or are not there; the caller gives no more than 500. */
  ended(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many tasks have not ended, by state. */
  countOpen(): Promise<ReadonlyMap<TaskState, number>>;
  /** Forgets at most about `most` callbacks from before that time, but for those that ended a task. */
  forgetCallbacks(before: number, most: number): Promise<number>;
  /** Removes at most about `most` tasks that ended before that time, with their callbacks, and tells how many. */
  removeEnded(before: number, most: number): Promise<number>;
};
