import type { Failure } from '../../lib/failure.ts';
import type { CallbackVerdict } from './callback-verdict.ts';
import { issuesOfFailure } from './issues-of-failure.ts';

/** The payload of a callback is not right; pointers become those into its body. */
export const invalidVerdict = (failure: Failure): CallbackVerdict => ({
  verdict: 'invalid',
  message: failure.message,
  issues: issuesOfFailure(failure).map((issue) => ({ ...issue, pointer: `/result${issue.pointer}` })),
});
