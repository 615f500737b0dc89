import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { TaskState } from '../protocol/task.ts';
import type { TakenCallback } from './task-store.ts';

/** A resource of a result, or one that was written or uploaded on its own (`resultId` null). */
export type StoredResource = {
  readonly descriptor: ResourceDescriptor;
  readonly owner: string;
  readonly resultId: string | null;
  readonly createdAt: string;
};

/** The audit projection of one call with the columns that it is found by (§4.9). */
export type CallRecord = {
  readonly id: string;
  readonly owner: string;
  readonly resultId: string;
  readonly invocationId: string;
  readonly requestId: string;
  readonly toolName: string;
  readonly command: string | null;
  readonly status: ToolStatus;
  readonly errorCode: string | null;
  readonly source: string;
  readonly actor: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly audit: JsonObject;
};

/** What the end of a call means for the idempotency key that it ran under, as long as its execution still holds it. */
export type KeySettlement = {
  readonly key: string;
  /** Milliseconds since the epoch until when the key stands for the result; null when the key is free again. */
  readonly keptUntil: number | null;
};

/** What an accepted call means for its task: it is linked with the result, and has come so far, unless it has ended. */
export type TaskAcceptance = {
  readonly taskId: string;
  readonly state: Extract<TaskState, 'created' | 'queued' | 'running'>;
  readonly progress: number | null;
  readonly at: number;
};

/** How a result ends a task. */
export type TaskEnd = {
  readonly taskId: string;
  readonly state: Extract<TaskState, 'completed' | 'failed' | 'cancelled' | 'timed_out'>;
  readonly at: number;
  /** The callback that brought the result, if one did; it counts as taken in the same moment. */
  readonly callback?: TakenCallback | undefined;
};

/** Everything that one call leaves behind. It is kept as a whole or not at all. */
export type FinishedCall = {
  readonly owner: string;
  readonly result: CanonicalToolResult;
  readonly record: CallRecord | null;
  readonly idempotency?: KeySettlement | undefined;
  readonly acceptance?: TaskAcceptance | undefined;
};

export type StoredResult = { readonly owner: string; readonly result: CanonicalToolResult };

/** `owner` null means all owners. Times are RFC 3339; `cursor` is the opaque one of the page before. */
export type RecordQuery = {
  readonly owner: string | null;
  readonly toolName?: string | undefined;
  readonly status?: ToolStatus | undefined;
  readonly actor?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

export type RecordPage = { readonly records: readonly CallRecord[]; readonly nextCursor: string | null };

/** What has had its time: all that is from before. RFC 3339 in UTC with milliseconds; null keeps it for ever. */
export type Expiry = {
  /** Results, with the resources that are theirs. */
  readonly results: string | null;
  readonly records: string | null;
  /** Resources that belong to no result. */
  readonly uploads: string | null;
};

export type ExpiredCount = { readonly results: number; readonly records: number; readonly resources: number };

/** Results, records and resource descriptors. A write has reached the disk's file when its promise resolves. */
export type CallStore = {
  saveCall(call: FinishedCall): Promise<void>;
  /**
   * Ends a task with its result, record and resources, all in one moment and at most once: false when the task has ended
   * already, is not there, or a callback of this id was taken; then nothing of the call was kept. Its idempotency key
   * stands for the result that the task has, whichever that is.
   */
  settleTask(call: FinishedCall, end: TaskEnd): Promise<boolean>;
  getResult(id: string): Promise<StoredResult | null>;
  getRecord(id: string): Promise<CallRecord | null>;
  /** Newest first. */
  listRecords(query: RecordQuery): Promise<RecordPage>;
  saveResource(resource: StoredResource): Promise<void>;
  getResource(id: string): Promise<StoredResource | null>;
  countExpired(expiry: Expiry): Promise<ExpiredCount>;
  /** Removes at most about `most` of each kind, the oldest first, and tells how many; fewer than `most` are all of them. */
  removeExpired(expiry: Expiry, most: number): Promise<ExpiredCount>;
  /** Which of the hashes a resource has that has not expired; the caller gives no more than 500. */
  referencedBlobs(hashes: readonly string[], expiry: Expiry): Promise<ReadonlySet<string>>;
};
