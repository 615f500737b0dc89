import { z } from 'zod';
import { ApprovalId, InvocationId, RequestId, ResultId, TaskId } from './ids.ts';
import { Progress, TaskState } from './task.ts';
import { Timestamp } from './timestamp.ts';

/** A task as those see it who may (§4.8). */
export const TaskDescription = z
  .strictObject({
    id: TaskId,
    kind: z
      .enum(['plugin', 'deferred'])
      .meta({ description: 'plugin: a plugin has accepted the work; deferred: the call itself waits or goes on.' }),
    owner: z.string(),
    tool: z.string(),
    command: z.string().nullable(),
    state: TaskState,
    progress: Progress.nullable(),
    stage: z.string().nullable(),
    message: z.string().nullable(),
    placeholder: z.string().meta({ description: 'What stands in a conversation for its result (§10.5).' }),
    invocationId: InvocationId,
    requestId: RequestId,
    acceptedResultId: ResultId.nullable().meta({ description: 'The result that accepted the work.' }),
    resultId: ResultId.nullable().meta({ description: 'The result that ended it; there exactly when it has ended.' }),
    approvalId: ApprovalId.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp.meta({ description: 'When it is ended as timed out.' }),
  })
  .meta({ id: 'task-description', title: 'TaskDescription', description: 'A task as its owner sees it (§4.8).' });
export type TaskDescription = z.infer<typeof TaskDescription>;

/** `GET /v1/tasks`. */
export const TaskListing = z
  .strictObject({ tasks: z.array(TaskDescription), nextCursor: z.string().nullable() })
  .meta({ id: 'task-listing', title: 'TaskListing', description: 'A page of tasks, newest first.' });
export type TaskListing = z.infer<typeof TaskListing>;

/** `POST /v1/tasks/:id/cancel`. */
export const TaskCancellation = z
  .strictObject({ reason: z.string().max(500).optional().meta({ description: 'Stands in the result.' }) })
  .meta({ id: 'task-cancellation', title: 'TaskCancellation', description: 'Cancels a task.' });
export type TaskCancellation = z.infer<typeof TaskCancellation>;

/** What a callback that was taken is answered; the same again to the same callback. */
export const CallbackReceipt = z
  .strictObject({
    taskId: TaskId,
    state: TaskState,
    resultId: ResultId.nullable().meta({ description: 'The result that the callback became; null for progress.' }),
  })
  .meta({ id: 'callback-receipt', title: 'CallbackReceipt', description: 'The answer to a callback (§10.3).' });
export type CallbackReceipt = z.infer<typeof CallbackReceipt>;
