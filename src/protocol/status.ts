import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Task, taskIn } from './task.ts';

export const ToolStatus = z.enum(['success', 'accepted', 'partial', 'error', 'cancelled', 'timeout']);
export type ToolStatus = z.infer<typeof ToolStatus>;

/** The table of §5.5 in words; `docs/protocol.md` prints it, `statusFields` enforces it. */
export const STATUS_TABLE = {
  success: { meaning: 'done', data: 'any', error: 'null', task: 'null or completed' },
  accepted: { meaning: 'an asynchronous task was taken on', data: 'any', error: 'null', task: 'required, not ended' },
  partial: { meaning: 'usable data, but a part failed', data: 'required', error: 'optional', task: 'optional' },
  error: { meaning: 'failed', data: 'null or diagnostics', error: 'required', task: 'null or failed' },
  cancelled: { meaning: 'cancelled on request', data: 'optional', error: 'required', task: 'null or cancelled' },
  timeout: { meaning: 'ended at its deadline', data: 'optional', error: 'required', task: 'null or timed_out' },
} as const satisfies Record<ToolStatus, Record<'meaning' | 'data' | 'error' | 'task', string>>;

const absent = (what: string, status: ToolStatus) =>
  z.null({ error: `${what} must be null when status is "${status}" (§5.5)` }).default(null);

const someData = JsonValue.refine((value) => value !== null, {
  error: 'data must be present when status is "partial" (§5.5)',
});

/** The status-dependent fields of §5.5, for whichever error schema the caller speaks. */
export const statusFields = <E extends z.ZodType>(error: E) => ({
  success: {
    status: z.literal('success'),
    data: JsonValue,
    error: absent('error', 'success'),
    task: taskIn('completed').nullable().default(null),
  },
  accepted: {
    status: z.literal('accepted'),
    data: JsonValue,
    error: absent('error', 'accepted'),
    task: taskIn('created', 'queued', 'running'),
  },
  partial: {
    status: z.literal('partial'),
    data: someData,
    error: error.nullable().default(null),
    task: Task.nullable().default(null),
  },
  error: {
    status: z.literal('error'),
    data: JsonValue,
    error,
    task: taskIn('failed').nullable().default(null),
  },
  cancelled: {
    status: z.literal('cancelled'),
    data: JsonValue.nullable().default(null),
    error,
    task: taskIn('cancelled').nullable().default(null),
  },
  timeout: {
    status: z.literal('timeout'),
    data: JsonValue.nullable().default(null),
    error,
    task: taskIn('timed_out').nullable().default(null),
  },
});
