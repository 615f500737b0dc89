import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import type { Limits } from '../lib/limits.ts';
import type { ApprovalHeader } from '../ports/approval-store.ts';
import type { StoredTask } from '../ports/task-store.ts';

/** What a caller is answered who does not wait any longer: for an approval, or for the call itself. */
export const acceptedOutcome = (
  task: StoredTask,
  approval: Pick<ApprovalHeader, 'id' | 'expiresAt'> | null,
  { approvalLookMs }: Pick<Limits, 'approvalLookMs'>,
): CallOutcome => ({
  status: 'accepted',
  data:
    approval === null ? null : { approval: { id: approval.id, expiresAt: new Date(approval.expiresAt).toISOString() } },
  resources: [],
  warnings: [],
  error: null,
  task: { id: task.id, state: 'queued', progress: null, pollAfterMs: approvalLookMs, placeholder: null },
  presentation: {
    title: null,
    summary:
      approval === null
        ? 'The call goes on as a task.'
        : `The call has not begun: it waits for a person to approve it (${approval.id}), and goes on as a task.`,
    preferredView: null,
    primaryResourceId: null,
  },
  aiAdvice: null,
  extensions: {},
});
