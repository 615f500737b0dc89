import type { Failure } from '../../lib/failure.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { CallbackReceipt } from '../../protocol/task-listing.ts';
import type { WrittenResource } from '../../resources/resource-context.ts';
import { isTerminal } from '../../task/task-state.ts';
import { failedOutcome } from '../call-failure.ts';
import { callbackDigest, idOfDigest } from './callback-digest.ts';
import type { CallbackContent, CallbackVerdict } from './callback-verdict.ts';
import { verdictOfEarlier } from './earlier-callback.ts';
import { finishTask, type FinishDependencies, type FinishedTask } from './finish-task.ts';
import { invalidVerdict } from './invalid-verdict.ts';
import type { EndOrigin } from './task-service.ts';

/** What came by a receiver elsewhere, whose sender has had its answer there. */
export type RelayedCallback = {
  /** Of what the sender wrote; resources have been replaced in it since. */
  readonly digest: string;
  /** The resources that stand in their place, by their ids. */
  readonly written: ReadonlyMap<string, WrittenResource>;
  /** Why it can never be the result, where that is known already. */
  readonly failure: Failure | null;
};

/**
 * Takes a callback of a task at most once, under the id that its sender gave it; null stands for the digest of what it
 * says. The same again gives the same receipt, whatever has happened since. Nobody mends a relayed one: where it cannot be
 * the result, the task fails by it.
 */
export const receiveCallback = async (
  task: StoredTask,
  content: CallbackContent,
  webhookId: string | null,
  dependencies: FinishDependencies,
  relayed?: RelayedCallback,
): Promise<CallbackVerdict> => {
  const { tasks, clock } = dependencies;
  const digest = relayed?.digest ?? (await callbackDigest(content));
  const id = webhookId ?? idOfDigest(digest);
  const earlier = await whatWasDecided(task.id, id, digest, content.kind, dependencies);
  if (earlier !== null) return earlier;
  const taken = (receipt: CallbackReceipt) => ({
    webhookId: id,
    digest,
    endsTask: content.kind === 'result',
    answer: receipt,
    at: clock.now(),
  });
  if (content.kind === 'progress') {
    const receipt: CallbackReceipt = { taskId: task.id, state: 'running', resultId: null };
    if (await tasks.reportBy(task, content.progress, taken(receipt))) return { verdict: 'taken', receipt };
  } else {
    const callbackOf: NonNullable<EndOrigin['callbackOf']> = (result, state) =>
      taken({ taskId: task.id, state, resultId: result.id });
    const finished =
      relayed === undefined
        ? await finishTask(task, content.result, { callbackOf }, dependencies)
        : await finishRelayed(task, content.result, relayed, callbackOf, dependencies);
    if (finished.ok) {
      const state = finished.result.task?.state ?? 'completed';
      return { verdict: 'taken', receipt: { taskId: task.id, state, resultId: finished.result.id } };
    }
    if (finished.failure !== null) return invalidVerdict(finished.failure);
  }
  // Another was first; it may have been this one.
  const rival = await whatWasDecided(task.id, id, digest, content.kind, dependencies);
  return rival ?? { verdict: 'ended', state: (await tasks.store.get(task.id))?.state ?? 'failed' };
};

/** Nobody would send it again: what cannot be the result is the end of the task all the same. */
const finishRelayed = async (
  task: StoredTask,
  result: JsonValue,
  { written, failure }: RelayedCallback,
  callbackOf: NonNullable<EndOrigin['callbackOf']>,
  dependencies: FinishDependencies,
): Promise<FinishedTask> => {
  const finished: FinishedTask =
    failure === null ? await finishTask(task, result, { callbackOf, written }, dependencies) : { ok: false, failure };
  if (finished.ok || finished.failure === null) return finished;
  const failed = await dependencies.tasks.end(task, failedOutcome(finished.failure), {
    source: 'callback',
    callbackOf,
  });
  return failed === null ? { ok: false, failure: null } : { ok: true, result: failed };
};

/** What has been decided already, by callbacks before this one or by the end of the task. */
const whatWasDecided = async (
  taskId: string,
  webhookId: string,
  digest: string,
  kind: CallbackContent['kind'],
  { tasks }: FinishDependencies,
): Promise<CallbackVerdict | null> => {
  const earlier = verdictOfEarlier(await tasks.store.takenCallbacks(taskId, webhookId), digest, kind);
  if (earlier !== null) return earlier;
  const state = (await tasks.store.get(taskId))?.state ?? 'failed';
  return isTerminal(state) ? { verdict: 'ended', state } : null;
};
