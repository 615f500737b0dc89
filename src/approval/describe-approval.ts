import type { ApprovalHeader, StoredApproval } from '../ports/approval-store.ts';
import { APPROVAL_EXTENSION, type Approval, type ApprovalNote, type ApprovalSummary } from '../protocol/approval.ts';
import type { JsonObject } from '../protocol/json.ts';

/** An approval as it is listed. */
export const summariseApproval = (approval: ApprovalHeader): ApprovalSummary => ({
  id: approval.id,
  state: approval.state,
  owner: approval.owner,
  requiredBy: approval.requiredBy,
  tool: {
    name: approval.toolName,
    displayName: approval.displayName,
    version: approval.pluginVersion,
    digest: approval.pluginDigest,
  },
  command: approval.command,
  actor: approval.actor,
  source: approval.source,
  createdAt: timeOf(approval.createdAt),
  expiresAt: timeOf(approval.expiresAt),
  decidedAt: approval.decidedAt === null ? null : timeOf(approval.decidedAt),
  decidedBy: approval.decidedBy,
  reason: approval.reason,
  invocationId: approval.invocationId,
  requestId: approval.requestId,
  taskId: approval.taskId,
  ranAt: approval.ranAt === null ? null : timeOf(approval.ranAt),
  resultId: approval.resultId,
});

/** An approval with exactly what will run. */
export const describeApproval = (approval: StoredApproval): Approval => ({
  ...summariseApproval(approval),
  arguments: approval.call.arguments,
  resources: [...approval.call.resources],
  conversation: approval.call.conversation,
  hash: approval.hash,
});

/** What a result keeps of its approval. */
export const noteOfApproval = (approval: ApprovalHeader): ApprovalNote => ({
  id: approval.id,
  state: approval.state,
  requiredBy: approval.requiredBy,
  decidedBy: approval.decidedBy,
  decidedAt: approval.decidedAt === null ? null : timeOf(approval.decidedAt),
  reason: approval.reason,
});

/** The extensions of a result with the core's word on its approval, and nobody else's. */
export const withApprovalNote = (extensions: JsonObject, note: ApprovalNote | null): JsonObject => {
  const { [APPROVAL_EXTENSION]: _, ...others } = extensions;
  return note === null ? others : { ...others, [APPROVAL_EXTENSION]: note };
};

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
