import { z } from 'zod';
import { AiAdvice } from './ai-advice.ts';
import { ToolError } from './error.ts';
import { InvocationId, RecordId, RequestId, ResultId } from './ids.ts';
import { Actor, InvocationSource } from './invocation.ts';
import { Extensions } from './names.ts';
import { Presentation } from './presentation.ts';
import { ResourceDescriptor } from './resource.ts';
import { statusFields } from './status.ts';
import { Timestamp } from './timestamp.ts';
import { ProtocolIdentity } from './version.ts';
import { Warning } from './warning.ts';

/** Which tool answered. All but the name are null when the call never reached a registered tool. */
export const ToolIdentity = z.strictObject({
  name: z.string(),
  displayName: z.string().nullable(),
  version: z.string().nullable(),
  command: z.string().nullable(),
});
export type ToolIdentity = z.infer<typeof ToolIdentity>;

/** When and how the call ran. Durations are in milliseconds and never negative. */
export const Execution = z.strictObject({
  invocationId: InvocationId,
  requestId: RequestId,
  recordId: RecordId.nullable(),
  startedAt: Timestamp,
  finishedAt: Timestamp,
  durationMs: z.number().nonnegative(),
  timeoutMs: z.int().positive().nullable(),
  attempt: z.int().positive(),
});
export type Execution = z.infer<typeof Execution>;

export const Origin = z.strictObject({
  source: InvocationSource,
  nodeId: z.string().nullable(),
  serverId: z.string(),
  distributed: z.boolean(),
  requestIp: z.string().nullable(),
});
export type Origin = z.infer<typeof Origin>;

/** What was redacted in a view: where (a JSON Pointer) and by which rule, never what. */
export const Redaction = z.strictObject({ pointer: z.string(), reason: z.string() });
export type Redaction = z.infer<typeof Redaction>;

export const PolicySummary = z.strictObject({
  classification: z.enum(['public', 'internal', 'confidential']),
  containsSensitiveData: z.boolean(),
  redactionsApplied: z.array(Redaction),
});
export type PolicySummary = z.infer<typeof PolicySummary>;

const byStatus = statusFields(ToolError);

type StatusFields = (typeof byStatus)[keyof typeof byStatus];

/** Field order is the order of §5.3. */
const resultOf = <F extends StatusFields>(fields: F) =>
  z.strictObject({
    protocol: ProtocolIdentity,
    id: ResultId,
    status: fields.status as F['status'],
    tool: ToolIdentity,
    execution: Execution,
    actor: Actor.nullable(),
    origin: Origin,
    data: fields.data as F['data'],
    resources: z.array(ResourceDescriptor),
    warnings: z.array(Warning),
    error: fields.error as F['error'],
    task: fields.task as F['task'],
    presentation: Presentation.nullable(),
    aiAdvice: AiAdvice.nullable(),
    policy: PolicySummary,
    extensions: Extensions,
  });

/** The one sealed truth about a call (§5.3, §5.4). */
export const CanonicalToolResult = z
  .discriminatedUnion('status', [
    resultOf(byStatus.success),
    resultOf(byStatus.accepted),
    resultOf(byStatus.partial),
    resultOf(byStatus.error),
    resultOf(byStatus.cancelled),
    resultOf(byStatus.timeout),
  ])
  .meta({
    id: 'canonical-tool-result',
    title: 'CanonicalToolResult',
    description: 'The one sealed truth about a call (§5.3, §5.4).',
  });
export type CanonicalToolResult = z.infer<typeof CanonicalToolResult>;
