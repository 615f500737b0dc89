import canonicalize from 'canonicalize';
import type { Issue } from '../../lib/issue.ts';
import { toHex } from '../../lib/to-hex.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { ProgressReport } from '../../protocol/stdio-frame.ts';
import type { CallbackReceipt } from '../../protocol/task-listing.ts';
import type { TaskState } from '../../protocol/task.ts';
import { isTerminal } from '../../task/task-state.ts';
import { finishTask, issuesOfFailure, type FinishDependencies } from './finish-task.ts';

/** What a callback says, once its envelope is known to be right: the end of the task, or its progress. */
export type CallbackContent =
  | { readonly kind: 'result'; readonly result: JsonValue }
  | { readonly kind: 'progress'; readonly progress: ProgressReport };

export type CallbackVerdict =
  | { readonly verdict: 'taken'; readonly receipt: CallbackReceipt }
  | { readonly verdict: 'id-reused' }
  | { readonly verdict: 'ended'; readonly state: TaskState }
  /** The task goes on; pointers are into the body of the callback. */
  | { readonly verdict: 'invalid'; readonly message: string; readonly issues: readonly Issue[] };

/**
 * Takes a callback of a task at most once, under the id that its sender gave it; null stands for the digest of what it
 * says. The same again gives the same receipt, whatever has happened since.
 */
export const receiveCallback = async (
  task: StoredTask,
  content: CallbackContent,
  webhookId: string | null,
  dependencies: FinishDependencies,
): Promise<CallbackVerdict> => {
  const { tasks, clock } = dependencies;
  const digest = await digestOf(content.kind === 'result' ? content.result : content.progress);
  const id = webhookId ?? `sha256:${digest}`;
  const earlier = await verdictOfEarlier(task.id, id, digest, content.kind, dependencies);
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
    const finished = await finishTask(
      task,
      content.result,
      { callbackOf: (result, state) => taken({ taskId: task.id, state, resultId: result.id }) },
      dependencies,
    );
    if (finished.ok) {
      const state = finished.result.task?.state ?? 'completed';
      return { verdict: 'taken', receipt: { taskId: task.id, state, resultId: finished.result.id } };
    }
    if (finished.failure !== null) {
      const { message } = finished.failure;
      const issues = issuesOfFailure(finished.failure).map((issue) => ({
        ...issue,
        pointer: `/result${issue.pointer}`,
      }));
      return { verdict: 'invalid', message, issues };
    }
  }
  // Another was first; it may have been this one.
  const rival = await verdictOfEarlier(task.id, id, digest, content.kind, dependencies);
  return rival ?? { verdict: 'ended', state: (await tasks.store.get(task.id))?.state ?? 'failed' };
};

/** What has been decided already, by callbacks before this one or by the end of the task. */
const verdictOfEarlier = async (
  taskId: string,
  webhookId: string,
  digest: string,
  kind: CallbackContent['kind'],
  { tasks }: FinishDependencies,
): Promise<CallbackVerdict | null> => {
  const { sameId, last } = await tasks.store.takenCallbacks(taskId, webhookId);
  if (sameId !== null) {
    return sameId.digest === digest
      ? { verdict: 'taken', receipt: sameId.answer as CallbackReceipt }
      : { verdict: 'id-reused' };
  }
  if (kind === 'result' && last?.digest === digest)
    return { verdict: 'taken', receipt: last.answer as CallbackReceipt };
  const state = (await tasks.store.get(taskId))?.state ?? 'failed';
  return isTerminal(state) ? { verdict: 'ended', state } : null;
};

/** SHA-256 of the canonical JSON (RFC 8785): the order of fields does not count. */
const digestOf = async (value: unknown): Promise<string> => {
  const text = new TextEncoder().encode(canonicalize(value));
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
};
