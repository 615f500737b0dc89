import type { Failure } from '../lib/failure.ts';
import type { Limits } from '../lib/limits.ts';
import type { InboxItem } from '../protocol/inbox.ts';
import type { JsonValue } from '../protocol/json.ts';
import { ProgressReport } from '../protocol/stdio-frame.ts';
import type { WrittenResource } from '../resources/resource-context.ts';
import type { FinishDependencies } from '../runtime/tasks/finish-task.ts';
import type { CallbackVerdict } from '../runtime/tasks/callback-verdict.ts';
import { receiveCallback } from '../runtime/tasks/receive-callback.ts';
import { isTerminal } from '../task/task-state.ts';
import { contentOfItem } from './content-of-item.ts';
import { copyBlob } from './copy-blob.ts';
import type { InboxClient } from './inbox-client.ts';

export type TakeItemDependencies = {
  readonly client: InboxClient;
  readonly finishing: FinishDependencies;
  readonly limits: Pick<Limits, 'resourceBytes' | 'jsonDepth' | 'jsonNodes'>;
};

/** What became of an item; with any of these, nobody needs to hold it any longer. */
export type ItemOutcome = CallbackVerdict['verdict'] | 'unknown-task';

/**
 * Takes what a receiver has taken, as if it had come here, with the bytes that it brings. Throws what may pass: then the
 * item is to be tried again. Trying again one that was taken changes nothing.
 */
export const takeItem = async (
  item: InboxItem,
  signal: AbortSignal,
  dependencies: TakeItemDependencies,
): Promise<ItemOutcome> => {
  const { finishing } = dependencies;
  const task = await finishing.tasks.store.get(item.taskId);
  if (task === null || task.kind !== 'plugin' || task.toolName !== item.toolName) return 'unknown-task';
  const nothing = { digest: item.digest, written: new Map(), failure: null };
  if (item.kind === 'progress') {
    const progress = ProgressReport.safeParse(item.content);
    if (!progress.success) return 'invalid';
    const said = { kind: 'progress', progress: progress.data } as const;
    return (await receiveCallback(task, said, item.webhookId, finishing, nothing)).verdict;
  }
  // Whether it was this one that ended the task is told by its digest alone.
  const { result, ...relayed } = isTerminal(task.state)
    ? { result: null, ...nothing }
    : { ...nothing, ...(await fetched(item, signal, dependencies)) };
  return (await receiveCallback(task, { kind: 'result', result }, item.webhookId, finishing, relayed)).verdict;
};

/** What the item says, once its bytes lie in the store here; `failure` is why they never can. */
const fetched = async (
  item: InboxItem,
  signal: AbortSignal,
  { client, finishing, limits }: TakeItemDependencies,
): Promise<{
  readonly result: JsonValue;
  readonly written: ReadonlyMap<string, WrittenResource>;
  readonly failure: Failure | null;
}> => {
  const from = { client, blobs: finishing.resources.store, limits, signal };
  const written = new Map<string, WrittenResource>();
  const content = await contentOfItem(item, from);
  if (!content.ok) return { result: null, written, failure: content.failure };
  for (const [index, { id, sha256, sizeBytes, fileName, mimeType }] of item.resources.entries()) {
    const failure = await copyBlob({ sha256, sizeBytes }, `/resources/${index}`, from);
    if (failure !== null) return { result: content.value, written, failure };
    written.set(id, { blob: { sha256, sizeBytes }, fileName, mimeType });
  }
  return { result: content.value, written, failure: null };
};
