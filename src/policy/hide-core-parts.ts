import type { CanonicalToolResult, Redaction } from '../protocol/canonical-tool-result.ts';

/**
 * A result without what the core itself put there for operators: the caller's address, and what a process said on
 * stderr, which §19.3 counts among the fields that ordinary consumers do not read. `redactions` names both.
 */
export const hideCoreParts = (
  result: CanonicalToolResult,
): { readonly result: CanonicalToolResult; readonly redactions: readonly Redaction[] } => {
  const redactions: Redaction[] = [];
  const changes: Record<string, unknown> = {};
  const withoutOutput = withoutProcessOutput(result.error);
  if (withoutOutput !== null) {
    changes['error'] = withoutOutput;
    redactions.push({ pointer: '/error/details/stderr', reason: 'stderr' });
  }
  if (result.origin.requestIp !== null) {
    changes['origin'] = { ...result.origin, requestIp: null };
    redactions.push({ pointer: '/origin/requestIp', reason: 'address' });
  }
  return redactions.length === 0
    ? { result, redactions }
    : { result: { ...result, ...changes } as CanonicalToolResult, redactions };
};

const withoutProcessOutput = (error: CanonicalToolResult['error']): unknown => {
  const details = error?.details;
  const isCoreError = error !== null && CORE_CATEGORIES.has(error.category);
  if (!isCoreError || typeof details !== 'object' || details === null || !Object.hasOwn(details, 'stderr')) return null;
  return { ...error, details: { ...details, stderr: '[redacted: stderr]' } };
};

const CORE_CATEGORIES: ReadonlySet<string> = new Set(['transport', 'protocol', 'runtime', 'timeout', 'cancelled']);
