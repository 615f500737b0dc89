import type { ListedBlob, ResourceStore } from '../ports/resource-store.ts';

export type BlobCollection = {
  readonly blobs: ResourceStore;
  /** Which of the hashes something still refers to; it is given no more than 500. */
  referenced(hashes: readonly string[]): Promise<ReadonlySet<string>>;
};

export type BlobCollectionOptions = {
  /** Milliseconds since the epoch: younger ones are left alone. */
  readonly touchedBefore: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
};

/** Blobs whose references are looked up at once. */
const BATCH_BLOBS = 200;

/** Removes the blobs that nothing refers to, but for young ones, and tells how many and how large. `dryRun` only counts. */
export const collectBlobs = async (
  { blobs, referenced }: BlobCollection,
  { touchedBefore, dryRun = false, signal }: BlobCollectionOptions,
): Promise<{ readonly blobs: number; readonly bytes: number }> => {
  let removed = 0;
  let removedBytes = 0;
  const judge = async (batch: readonly ListedBlob[]): Promise<void> => {
    const inUse = await referenced(batch.map(({ sha256 }) => sha256));
    for (const { sha256, sizeBytes } of batch) {
      if (inUse.has(sha256)) continue;
      if (!dryRun && !(await blobs.collect(sha256, touchedBefore))) continue;
      removed += 1;
      removedBytes += sizeBytes;
    }
  };
  let batch: ListedBlob[] = [];
  for await (const blob of blobs.list()) {
    if (signal?.aborted === true) break;
    if (blob.touchedAt >= touchedBefore) continue;
    batch.push(blob);
    if (batch.length < BATCH_BLOBS) continue;
    await judge(batch);
    batch = [];
  }
  if (signal?.aborted !== true) await judge(batch);
  return { blobs: removed, bytes: removedBytes };
};
