import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { Issue } from '../lib/issue.ts';

/** What resources and references of a payload that do not fit together come to. */
export const inconsistent = (
  issues: readonly Issue[],
  reportedIssues: number,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: failureOfIssues(
    'INVALID_TOOL_RESULT',
    'the resources of the result are not consistent',
    issues,
    reportedIssues,
  ),
});
