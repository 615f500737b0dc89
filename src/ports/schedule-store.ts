import type { Actor, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { MissedPolicy, OverlapPolicy, ScheduleRunState, ScheduleState } from '../protocol/schedule.ts';
import type { ToolStatus } from '../protocol/status.ts';

/** What a schedule was made with; it never changes. Times are milliseconds since the epoch. */
export type ScheduleDefinition = {
  readonly label: string | null;
  readonly arguments: JsonObject;
  readonly actor: Actor | null;
  /** How it was asked for: rules on approval that are strict with that hold for its calls too. */
  readonly source: InvocationSource;
  /** One of `at` and `cron` is there; `timeZone` goes with `cron`. */
  readonly at: number | null;
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly startAt: number | null;
  readonly endAt: number | null;
  readonly maxRuns: number | null;
  readonly timeoutMs: number | null;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
};

export type StoredSchedule = ScheduleDefinition & {
  readonly id: string;
  readonly owner: string;
  readonly toolName: string;
  readonly state: ScheduleState;
  /** The due time that nobody has taken yet; there exactly while the schedule is active. */
  readonly nextAt: number | null;
  /** Runs that have begun. */
  readonly runCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** What became of a due time. Whoever runs it keeps its lease alive. */
export type StoredScheduleRun = {
  readonly id: string;
  readonly scheduleId: string;
  readonly dueAt: number;
  /** Due times that this stands for: several that were missed are one row. */
  readonly times: number;
  readonly state: ScheduleRunState;
  /** The executions so far; 0 for what did not run. */
  readonly attempt: number;
  /** Whether the command was idempotent when it ran, so that a lost run may be made again. */
  readonly isRepeatable: boolean;
  /** Until then the run is taken to be alive; null for what does not run. */
  readonly leaseUntil: number | null;
  readonly serverId: string | null;
  readonly resultId: string | null;
  readonly status: ToolStatus | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
};

/** Which execution of a run is meant: it may have been taken over since. */
export type HeldRun = Pick<StoredScheduleRun, 'id' | 'attempt'>;

/** `owner` null means all owners. Newest first; `cursor` is the opaque one of the page before. */
export type ScheduleQuery = {
  readonly owner: string | null;
  readonly state?: ScheduleState | undefined;
  readonly toolName?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

export type SchedulePage = { readonly schedules: readonly StoredSchedule[]; readonly nextCursor: string | null };

export type ScheduleRunPage = { readonly runs: readonly StoredScheduleRun[]; readonly nextCursor: string | null };

/** Takes the due time `from`, and puts down what becomes of it. */
export type ScheduleAdvance = {
  readonly scheduleId: string;
  /** The due time that the schedule waits for; when it waits for another by now, nothing is changed. */
  readonly from: number;
  /** The next one; null ends the schedule. */
  readonly nextAt: number | null;
  /** Those in state `running` count as begun. */
  readonly runs: readonly StoredScheduleRun[];
  readonly at: number;
};

export type ScheduleRunEnd = Pick<StoredScheduleRun, 'resultId' | 'status' | 'errorCode' | 'reason'> & {
  readonly finishedAt: number;
};

/**
 * Schedules and their runs, agreed between all servers that share the store: each change compares and sets, and a due
 * time of a schedule has one row at most, so no two servers run the same one.
 */
export type ScheduleStore = {
  /** False when the owner has `most` active ones already; then nothing was changed. */
  create(schedule: StoredSchedule, most: number): Promise<boolean>;
  get(id: string): Promise<StoredSchedule | null>;
  list(query: ScheduleQuery): Promise<SchedulePage>;
  /** False when it is not active (any more). */
  cancel(id: string, at: number): Promise<boolean>;
  /** The earliest time that any schedule is due; null when none is. */
  nextDue(): Promise<number | null>;
  /** Active schedules that are due by `now`, the earliest first. */
  due(now: number, most: number): Promise<readonly StoredSchedule[]>;
  /** Moves a schedule on. False when another server was faster, or the schedule was cancelled. */
  advance(change: ScheduleAdvance): Promise<boolean>;
  listRuns(query: {
    readonly scheduleId: string;
    readonly state?: ScheduleRunState | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<ScheduleRunPage>;
  /** A sign of life. False when the run is held by another, or has ended. */
  extend(run: HeldRun, leaseUntil: number): Promise<boolean>;
  /** Also of a run that was taken for lost meanwhile, as long as nobody has repeated it. */
  finish(run: HeldRun, end: ScheduleRunEnd): Promise<boolean>;
  /** Runs whose lease ran out by `now`, the longest ago first. */
  lost(now: number, most: number): Promise<readonly StoredScheduleRun[]>;
  /** Takes a lost run for another attempt. False when it is alive, has ended or was taken. */
  takeOver(
    run: HeldRun,
    next: { readonly serverId: string; readonly leaseUntil: number; readonly at: number },
  ): Promise<boolean>;
  /** Gives a lost run up. False as above. */
  interrupt(run: HeldRun, end: { readonly reason: string; readonly at: number }): Promise<boolean>;
  /** Removes the oldest runs of a schedule beyond the newest `kept`, running ones excepted. */
  trimRuns(scheduleId: string, kept: number): Promise<void>;
  /** Removes schedules that ended before, about `most` of them, with their runs; tells how many. */
  removeEnded(before: number, most: number): Promise<number>;
};
