import { z } from 'zod';
import { InvocationId, TaskId } from './ids.ts';
import { Progress } from './task.ts';

/** §10.6: progress of a running call. It never stands for a result. */
export const ProgressEvent = z
  .strictObject({
    type: z.literal('vcp_info'),
    invocationId: InvocationId,
    taskId: TaskId.nullable(),
    stage: z.string().nullable(),
    progress: Progress.nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'progress-event', title: 'ProgressEvent', description: 'Progress of a running call (§10.6).' });
export type ProgressEvent = z.infer<typeof ProgressEvent>;
