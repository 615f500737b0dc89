import type { Failure } from '../lib/failure.ts';
import type { ApprovalHeader } from '../ports/approval-store.ts';

/** Why the call of an approval that came to nothing was not made. */
export const failureOfApproval = (approval: ApprovalHeader): Failure => {
  const details = { approvalId: approval.id, reason: approval.reason };
  const { state, reason } = approval;
  if (state === 'rejected') {
    return { code: 'APPROVAL_REJECTED', message: withReason('the call was rejected by an operator', reason), details };
  }
  if (state === 'cancelled') {
    return { code: 'TOOL_CANCELLED', message: withReason('the call was cancelled before it began', reason), details };
  }
  const message =
    approval.decidedAt === null
      ? 'nobody approved the call in time'
      : 'the call was approved, and could not begin in the time for which that was good';
  return { code: 'APPROVAL_TIMEOUT', message, details };
};

/** A rule rejects without asking anybody. */
export const failureOfRule = (reason: string | null): Failure => ({
  code: 'APPROVAL_REJECTED',
  message: withReason('a rule of this server rejects the call', reason),
  details: { approvalId: null, reason },
});

/** The tool is not what it was when its call was approved. */
export const failureOfChange = (
  { id, toolName, pluginVersion }: Pick<ApprovalHeader, 'id' | 'toolName' | 'pluginVersion'>,
  version: string | null,
): Failure => {
  const change =
    version === null
      ? `${toolName} is not served any more`
      : version === pluginVersion
        ? `the files of ${toolName} ${version} have changed`
        : `${toolName} ${pluginVersion} has become ${version}`;
  return {
    code: 'APPROVAL_REJECTED',
    message: `${change} since approval was asked for, so the call was not made; make it again to have it approved as it is now`,
    details: { approvalId: id, reason: 'changed', approvedVersion: pluginVersion, version },
  };
};

/** What was said, at its whole length: it is bounded where it is taken. */
const withReason = (what: string, reason: string | null): string => (reason === null ? what : `${what}: ${reason}`);
