import type { ApprovalHeader } from '../ports/approval-store.ts';
import type { EventSink } from '../ports/event-sink.ts';

/** Tells the owner, and operators, what has become of an approval. */
export const tellOfApproval = (events: EventSink, approval: ApprovalHeader): void => {
  const { id, owner, state, toolName, command, invocationId, requestId, taskId, expiresAt, decidedBy, reason } =
    approval;
  events.emit(
    {
      type: 'approval',
      approvalId: id,
      invocationId,
      requestId,
      taskId,
      toolName,
      data: { state, command, expiresAt: new Date(expiresAt).toISOString(), decidedBy, reason },
    },
    { audience: { to: 'owner', owner } },
  );
};
