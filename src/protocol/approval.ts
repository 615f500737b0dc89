import { z } from 'zod';
import { ApprovalId, InvocationId, RequestId, ResourceId, ResultId, TaskId } from './ids.ts';
import { Actor, Conversation, InvocationSource } from './invocation.ts';
import { JsonObject } from './json.ts';
import { Timestamp } from './timestamp.ts';

/** Nothing leads back to `pending`; an approval that was given and not used in time is `expired` after all. */
export const ApprovalState = z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled']);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** Who wants a person to look at the call first, and why where that is said. */
export const ApprovalDemand = z.strictObject({
  by: z.enum(['manifest', 'rule', 'caller']),
  reason: z.string().nullable(),
});
export type ApprovalDemand = z.infer<typeof ApprovalDemand>;

const summaryFields = {
  id: ApprovalId,
  state: ApprovalState,
  owner: z.string().meta({ description: 'Id of the key whose call it is.' }),
  requiredBy: ApprovalDemand,
  tool: z.strictObject({
    name: z.string(),
    displayName: z.string().nullable(),
    version: z.string(),
    digest: z.string().meta({ description: 'SHA-256 over the plugin’s files: another one is not run.' }),
  }),
  command: z.string(),
  actor: Actor.nullable(),
  source: InvocationSource,
  createdAt: Timestamp,
  expiresAt: Timestamp.meta({
    description: 'Until when it can be decided and, once approved, when the call must begin.',
  }),
  decidedAt: Timestamp.nullable(),
  decidedBy: z.string().nullable().meta({ description: 'Name of the key that decided.' }),
  reason: z.string().nullable().meta({ description: 'What was said with the decision, or why there was none.' }),
  invocationId: InvocationId,
  requestId: RequestId,
  taskId: TaskId.nullable().meta({ description: 'The task that goes on once nobody waits for the answer any more.' }),
  ranAt: Timestamp.nullable().meta({ description: 'When the approved call began; it begins once.' }),
  resultId: ResultId.nullable().meta({ description: 'What the call came to.' }),
};

/** An approval as it is listed: without what the call would do. */
export const ApprovalSummary = z
  .strictObject(summaryFields)
  .meta({ id: 'approval-summary', title: 'ApprovalSummary', description: 'An approval as it is listed.' });
export type ApprovalSummary = z.infer<typeof ApprovalSummary>;

/** An approval with exactly what will run. */
export const Approval = z
  .strictObject({
    ...summaryFields,
    arguments: JsonObject.meta({ description: 'As the tool will get them, defaults filled in.' }),
    resources: z
      .array(
        z.strictObject({
          id: ResourceId,
          fileName: z.string(),
          mimeType: z.string(),
          sizeBytes: z.int().nonnegative().nullable(),
          sha256: z.string().nullable(),
        }),
      )
      .meta({ description: 'The resources among the arguments.' }),
    conversation: Conversation.nullable().meta({
      description: 'What the tool is handed of the conversation that the call was made in.',
    }),
    hash: z.string().meta({ description: 'SHA-256 of what was approved: nothing else is run under it.' }),
  })
  .meta({ id: 'approval', title: 'Approval', description: 'A call that a person has to approve, as it will run.' });
export type Approval = z.infer<typeof Approval>;

export const ApprovalListing = z
  .strictObject({ approvals: z.array(ApprovalSummary), nextCursor: z.string().nullable() })
  .meta({ id: 'approval-listing', title: 'ApprovalListing', description: 'GET /v1/approvals.' });
export type ApprovalListing = z.infer<typeof ApprovalListing>;

/** `POST /v1/approvals/:id`. */
export const ApprovalDecision = z
  .strictObject({
    decision: z.enum(['approve', 'reject'], { error: 'must be "approve" or "reject"' }),
    reason: z.string().min(1).max(1_000).optional().meta({ description: 'Told to the caller, and kept on record.' }),
  })
  .meta({ id: 'approval-decision', title: 'ApprovalDecision', description: 'POST /v1/approvals/:id.' });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/** Where a result says how its approval went. It is the core's alone: plugins cannot set it. */
export const APPROVAL_EXTENSION = 'vcp.approval';

/** What a result keeps of its approval. `id` is null when a rule rejected the call without asking anybody. */
export const ApprovalNote = z.strictObject({
  id: ApprovalId.nullable(),
  state: ApprovalState,
  requiredBy: ApprovalDemand,
  decidedBy: z.string().nullable(),
  decidedAt: Timestamp.nullable(),
  reason: z.string().nullable(),
});
export type ApprovalNote = z.infer<typeof ApprovalNote>;
