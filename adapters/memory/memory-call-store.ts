import { readRecordCursor, recordCursor } from '../../src/lib/record-cursor.ts';
import {
  type CallRecord,
  type CallStore,
  type Expiry,
  type FinishedCall,
  type StoredResource,
  type StoredResult,
} from '../../src/ports/call-store.ts';
import { keySlot } from '../../src/ports/idempotency-store.ts';
import { isTerminal, nextTaskState } from '../../src/task/task-state.ts';
import type { MemoryKeyClaims } from './memory-idempotency-store.ts';
import { createMemoryTasks, takeCallback, type MemoryTasks } from './memory-task-store.ts';

/**
 * Keeps everything in this process, for tests and for servers that need no history. `claims` are those of the
 * idempotency store beside it, `shared` the tasks of the task store.
 */
export const createMemoryCallStore = (
  claims: MemoryKeyClaims = new Map(),
  shared: MemoryTasks = createMemoryTasks(),
): CallStore => {
  const results = new Map<string, StoredResult>();
  const records = new Map<string, CallRecord>();
  const resources = new Map<string, StoredResource>();

  const expired = (expiry: Expiry) => {
    const isBefore = (time: string, limit: string | null) => limit !== null && Date.parse(time) < Date.parse(limit);
    const keysOf = <T>(map: ReadonlyMap<string, T>, isGone: (value: T) => boolean) =>
      [...map].flatMap(([id, value]) => (isGone(value) ? [id] : []));
    return {
      expiredResults: keysOf(results, ({ result }) => isBefore(result.execution.finishedAt, expiry.results)),
      expiredRecords: keysOf(records, ({ startedAt }) => isBefore(startedAt, expiry.records)),
      expiredResources: keysOf(resources, ({ createdAt, resultId }) =>
        isBefore(createdAt, resultId === null ? expiry.uploads : expiry.results),
      ),
    };
  };

  const keep = ({ owner, result, record }: FinishedCall) => {
    const taken = [
      ...(results.has(result.id) ? [result.id] : []),
      ...(record !== null && records.has(record.id) ? [record.id] : []),
      ...result.resources.map(({ id }) => id).filter((id) => resources.has(id)),
    ];
    if (taken.length > 0) throw new Error(`stored already: ${taken.join(', ')}`);
    results.set(result.id, { owner, result });
    if (record !== null) records.set(record.id, record);
    for (const descriptor of result.resources) {
      resources.set(descriptor.id, {
        descriptor,
        owner,
        resultId: result.id,
        createdAt: result.execution.finishedAt,
      });
    }
  };

  const settleKey = ({ owner, result, idempotency }: FinishedCall, resultId: string | null) => {
    if (idempotency === undefined) return;
    const slot = keySlot(owner, idempotency.key);
    const claim = claims.get(slot);
    if (claim?.invocationId !== result.execution.invocationId) return;
    if (idempotency.keptUntil === null) claims.delete(slot);
    else claims.set(slot, { ...claim, resultId, expiresAt: idempotency.keptUntil });
  };

  return {
    saveCall: async (call) => {
      keep(call);
      settleKey(call, call.result.id);
      const { acceptance } = call;
      const task = acceptance === undefined ? undefined : shared.tasks.get(acceptance.taskId);
      if (acceptance === undefined || task === undefined) return;
      const linked = { ...task, acceptedResultId: task.acceptedResultId ?? call.result.id };
      const { state, progress, at } = acceptance;
      const further = { ...linked, state, progress: progress ?? task.progress, updatedAt: at };
      shared.tasks.set(task.id, nextTaskState(task.state, state) === null ? linked : further);
    },
    settleTask: async (call, { taskId, state, at, callback }) => {
      const task = shared.tasks.get(taskId);
      const isTaken = callback !== undefined && shared.callbacks.get(taskId)?.has(callback.webhookId) === true;
      const ends = task !== undefined && !isTerminal(task.state) && !isTaken;
      if (ends) {
        keep(call);
        const progress = state === 'completed' ? 1 : task.progress;
        shared.tasks.set(taskId, { ...task, state, progress, resultId: call.result.id, updatedAt: at });
        if (callback !== undefined) takeCallback(shared, taskId, callback);
      }
      settleKey(call, shared.tasks.get(taskId)?.resultId ?? null);
      return ends;
    },
    getResult: async (id) => results.get(id) ?? null,
    getRecord: async (id) => records.get(id) ?? null,
    listRecords: async (query) => {
      const before = query.cursor === undefined ? null : readRecordCursor(query.cursor);
      const found = [...records.values()]
        .filter((record) => query.owner === null || record.owner === query.owner)
        .filter((record) => query.toolName === undefined || record.toolName === query.toolName)
        .filter((record) => query.status === undefined || record.status === query.status)
        .filter((record) => query.actor === undefined || record.actor === query.actor)
        .filter((record) => query.since === undefined || Date.parse(record.startedAt) >= Date.parse(query.since))
        .filter((record) => query.until === undefined || Date.parse(record.startedAt) < Date.parse(query.until))
        .filter((record) => before === null || record.id < before)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        records: page,
        nextCursor: found.length > query.limit && last !== undefined ? recordCursor(last.id) : null,
      };
    },
    saveResource: async (resource) => {
      if (resources.has(resource.descriptor.id)) throw new Error(`stored already: ${resource.descriptor.id}`);
      resources.set(resource.descriptor.id, resource);
    },
    getResource: async (id) => resources.get(id) ?? null,
    countExpired: async (expiry) => {
      const { expiredResults, expiredRecords, expiredResources } = expired(expiry);
      return {
        results: expiredResults.length,
        records: expiredRecords.length,
        resources: expiredResources.length,
      };
    },
    removeExpired: async (expiry) => {
      const { expiredResults, expiredRecords, expiredResources } = expired(expiry);
      for (const id of expiredResults) results.delete(id);
      for (const id of expiredRecords) records.delete(id);
      for (const id of expiredResources) resources.delete(id);
      return { results: expiredResults.length, records: expiredRecords.length, resources: expiredResources.length };
    },
    referencedBlobs: async (hashes, expiry) => {
      const gone = new Set(expired(expiry).expiredResources);
      const held = new Set([...resources].flatMap(([id, { descriptor }]) => (gone.has(id) ? [] : [descriptor.sha256])));
      return new Set(hashes.filter((hash) => held.has(hash)));
    },
  };
};
