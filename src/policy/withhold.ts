import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { CORE_WARNING_CODES } from '../protocol/warning.ts';

/**
 * A result without anything that its plugin said, for when the rules fail on it: what cannot be looked through is not
 * shown, and a warning says so. The stored result has it all.
 */
export const withhold = (result: CanonicalToolResult): CanonicalToolResult => {
  const { error, policy } = result;
  return {
    ...result,
    origin: { ...result.origin, requestIp: null },
    data: null,
    resources: [],
    // Without a word on it the rest would read as the whole answer.
    warnings: [{ code: 'RESULT_WITHHELD', message: CORE_WARNING_CODES.RESULT_WITHHELD, target: null, details: null }],
    error: error === null ? null : { ...error, message: '[not shown]', target: null, details: null, cause: null },
    presentation: null,
    aiAdvice: null,
    extensions: {},
    policy: { ...policy, redactionsApplied: [{ pointer: '', reason: 'the result could not be looked through' }] },
  } as unknown as CanonicalToolResult;
};
