import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';

/**
 * A result without anything that its plugin said, for when the rules fail on it: what cannot be looked through is not
 * shown. The stored result has it all.
 */
export const withhold = (result: CanonicalToolResult): CanonicalToolResult => {
  const { error, policy } = result;
  return {
    ...result,
    origin: { ...result.origin, requestIp: null },
    data: null,
    resources: [],
    warnings: [],
    error: error === null ? null : { ...error, message: '[not shown]', target: null, details: null, cause: null },
    presentation: null,
    aiAdvice: null,
    extensions: {},
    policy: { ...policy, redactionsApplied: [{ pointer: '', reason: 'the result could not be looked through' }] },
  } as unknown as CanonicalToolResult;
};
