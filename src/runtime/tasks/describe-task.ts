import { callerGiven } from '../../policy/caller-given.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { TaskDescription } from '../../protocol/task-listing.ts';
import { taskPlaceholder } from '../../task/task-placeholder.ts';
import { showProgress, type ShowContext } from '../show-progress.ts';

/** A stored task as somebody who may know of it reads it, after the rules for results. */
export const describeTask = (task: StoredTask, context: Omit<ShowContext, 'given'>): TaskDescription =>
  showProgress(wholeOf(task), { ...context, given: callerGiven(task) });

const wholeOf = (task: StoredTask): TaskDescription => ({
  id: task.id,
  kind: task.kind,
  owner: task.owner,
  tool: task.toolName,
  command: task.command?.commandIdentifier ?? null,
  state: task.state,
  progress: task.progress,
  stage: task.stage,
  message: task.message,
  placeholder: taskPlaceholder(task.toolName, task.id),
  invocationId: task.invocationId,
  requestId: task.requestId,
  acceptedResultId: task.acceptedResultId,
  resultId: task.resultId,
  approvalId: task.approvalId,
  createdAt: new Date(task.createdAt).toISOString(),
  updatedAt: new Date(task.updatedAt).toISOString(),
  expiresAt: new Date(task.expiresAt).toISOString(),
});
