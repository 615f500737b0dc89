import type { FinishReason } from '../../../ports/language-model.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};

/** Ends that are failures of the model: there is no answer, and asking again may give one. */
const FAILURES: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'MISSING_THOUGHT_SIGNATURE',
  'TOO_MANY_TOOL_CALLS',
]);

/** `failure` is true where the answer ended in a fault. A tool call ends with `STOP` at this vendor. */
export const geminiFinishReason = (
  word: string,
  hasCalls: boolean,
): { readonly reason: FinishReason; readonly native: string | null; readonly isFailure: boolean } => {
  const known = Object.hasOwn(REASONS, word) ? REASONS[word] : undefined;
  const reason = known ?? 'stop';
  return {
    reason: hasCalls && reason === 'stop' ? 'tool_calls' : reason,
    native: word === 'STOP' || word === 'MAX_TOKENS' ? null : word,
    isFailure: FAILURES.has(word),
  };
};
