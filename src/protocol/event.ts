import { z } from 'zod';
import { ErrorCode } from './error.ts';
import { ApprovalId, EventId, InvocationId, RecordId, RequestId, ResultId, ScheduleId, TaskId } from './ids.ts';
import { JsonObject } from './json.ts';
import { ToolStatus } from './status.ts';
import { Progress, TaskState } from './task.ts';
import { Timestamp } from './timestamp.ts';

/** The ids that join an event with the log lines, callbacks and records of one call (§18.2); those that apply. */
export const EventIds = z.strictObject({
  invocationId: InvocationId.nullable().default(null),
  requestId: RequestId.nullable().default(null),
  resultId: ResultId.nullable().default(null),
  recordId: RecordId.nullable().default(null),
  taskId: TaskId.nullable().default(null),
  approvalId: ApprovalId.nullable().default(null),
  scheduleId: ScheduleId.nullable().default(null),
  toolName: z.string().max(256).nullable().default(null),
});
export type EventIds = z.infer<typeof EventIds>;

const envelope = { id: EventId, time: Timestamp, ...EventIds.shape };

const eventOf = <const Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.strictObject({ type: z.literal(type), ...envelope, data });

/** §10.6: how far a call or task has come. Flat, as the specification has it; it never stands for a result. */
export const VcpInfoEvent = z.strictObject({
  type: z.literal('vcp_info'),
  ...envelope,
  stage: z.string().nullable(),
  progress: Progress.nullable(),
  message: z.string().nullable(),
});

/** A line for people who watch: from the server's log, or from a plugin. */
export const VcpLogEvent = eventOf(
  'vcp_log',
  z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']),
    source: z.string().max(128),
    message: z.string().max(4_000),
    details: JsonObject.nullable().default(null),
  }),
);

/** A task has changed its state (§10.4). */
export const TaskEvent = eventOf(
  'task',
  z.strictObject({ state: TaskState, progress: Progress.nullable(), resultId: ResultId.nullable() }),
);

/** An approval is asked for, or decided. */
export const ApprovalEvent = eventOf(
  'approval',
  z.strictObject({
    state: z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled']),
    command: z.string().nullable(),
    expiresAt: Timestamp.nullable(),
    decidedBy: z.string().nullable(),
    reason: z.string().nullable(),
  }),
);

/** A call has its result: where it is read, not the result itself. */
export const ResultEvent = eventOf(
  'result',
  z.strictObject({ status: ToolStatus, errorCode: ErrorCode.nullable(), command: z.string().nullable() }),
);

/** A schedule was made, ran, was missed or ended. */
export const ScheduleEvent = eventOf(
  'schedule',
  z.strictObject({
    state: z.enum(['created', 'started', 'finished', 'missed', 'interrupted', 'cancelled', 'ended']),
    dueAt: Timestamp.nullable(),
    status: ToolStatus.nullable(),
  }),
);

/** A reply of the chat endpoint, as it goes to the client that asked. */
export const AiMessageEvent = eventOf(
  'ai_message',
  z.strictObject({ model: z.string(), sessionId: z.string().nullable(), text: z.string(), isLast: z.boolean() }),
);

/** What a plugin pushes of its own (`webSocketPush` of its manifest, or a service): `name` is the plugin's word for it. */
export const PluginMessageEvent = eventOf(
  'plugin_message',
  z.strictObject({ plugin: z.string().max(64), name: z.string().max(128), message: JsonObject }),
);

/** Everything that `/v1/ws` and `/v1/events` carry. */
export const VcpEvent = z
  .discriminatedUnion('type', [
    VcpInfoEvent,
    VcpLogEvent,
    TaskEvent,
    ApprovalEvent,
    ResultEvent,
    ScheduleEvent,
    AiMessageEvent,
    PluginMessageEvent,
  ])
  .meta({ id: 'event', title: 'VcpEvent', description: 'What clients are pushed (§10.6).' });
export type VcpEvent = z.infer<typeof VcpEvent>;

export type VcpEventType = VcpEvent['type'];
