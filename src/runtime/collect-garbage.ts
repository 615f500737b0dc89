import type { Limits } from '../lib/limits.ts';
import type { CallStore, ExpiredCount, Expiry } from '../ports/call-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import type { CollectionReport } from '../protocol/collection-report.ts';
import { collectBlobs } from './collect-blobs.ts';

export type CollectionDependencies = {
  readonly calls: CallStore;
  /** Tasks that have ended go with their results. */
  readonly tasks: { readonly store: Pick<TaskStore, 'removeEnded'> };
  readonly blobs: ResourceStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'retainResultsMs' | 'retainRecordsMs' | 'retainUploadsMs' | 'blobGraceMs'>;
};

/** Rows that go at once; others may write in between. */
const BATCH_ROWS = 500;

/**
 * Removes what has had its time: results with their resources, records, uploads; then the blobs that no resource has any
 * more, but for young ones. A blob is put, or kept, before the row that will refer to it is written, and no call lasts as
 * long as a blob counts as young: so one that is old and has no row will get none. `dryRun` only counts.
 */
export const collectGarbage = async (
  { calls, tasks, blobs, clock, logger, limits }: CollectionDependencies,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {},
): Promise<CollectionReport> => {
  const now = clock.now();
  const expiry = expiryOf(limits, now);
  const rows = dryRun ? await calls.countExpired(expiry) : await removeRows(calls, expiry, signal);
  if (!dryRun && limits.retainResultsMs > 0) await removeTasks(tasks.store, now - limits.retainResultsMs, signal);

  const removed = await collectBlobs(
    { blobs, referenced: (hashes) => calls.referencedBlobs(hashes, expiry) },
    { touchedBefore: now - limits.blobGraceMs, dryRun, ...(signal === undefined ? {} : { signal }) },
  );
  const counts = { ...rows, ...removed };
  if (!dryRun && Object.values(counts).some((count) => count > 0)) logger.info('garbage.collected', counts);
  return { ...counts, dryRun };
};

const removeRows = async (calls: CallStore, expiry: Expiry, signal?: AbortSignal): Promise<ExpiredCount> => {
  let total: ExpiredCount = { results: 0, records: 0, resources: 0 };
  for (;;) {
    const { results, records, resources } = await calls.removeExpired(expiry, BATCH_ROWS);
    total = {
      results: total.results + results,
      records: total.records + records,
      resources: total.resources + resources,
    };
    if (Math.max(results, records, resources) < BATCH_ROWS || signal?.aborted === true) return total;
  }
};

const removeTasks = async (
  tasks: CollectionDependencies['tasks']['store'],
  before: number,
  signal?: AbortSignal,
): Promise<void> => {
  while ((await tasks.removeEnded(before, BATCH_ROWS)) >= BATCH_ROWS && signal?.aborted !== true);
};

const expiryOf = (limits: CollectionDependencies['limits'], now: number): Expiry => {
  const before = (ms: number): string | null => (ms === 0 ? null : new Date(now - ms).toISOString());
  return {
    results: before(limits.retainResultsMs),
    records: before(limits.retainRecordsMs),
    uploads: before(limits.retainUploadsMs),
  };
};
