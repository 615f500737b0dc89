import type { PolicySummary } from '../protocol/canonical-tool-result.ts';
import type { JsonValue } from '../protocol/json.ts';
import { redactValue } from './redact-value.ts';

/** What a plugin contributed to a result. */
export type ClassifiedParts = Readonly<Record<'data' | 'error' | 'warnings' | 'presentation' | 'aiAdvice' | 'extensions', unknown>>;

/**
 * Whether there is anything in a result that ordinary consumers may not read. Whole values are looked at, not
 * samples, so that `containsSensitiveData: false` can be relied on as far as the rules reach.
 */
export const classify = (parts: ClassifiedParts, knownPaths: readonly string[]): PolicySummary => {
  const sensitive = Object.entries(parts).some(
    ([field, value]) => value !== null && redactValue(value as JsonValue, [field], knownPaths).redactions.length > 0,
  );
  return { classification: sensitive ? 'confidential' : 'internal', containsSensitiveData: sensitive, redactionsApplied: [] };
};
