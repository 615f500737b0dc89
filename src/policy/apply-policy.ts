import type { CanonicalToolResult, Redaction } from '../protocol/canonical-tool-result.ts';
import type { ResultView } from '../protocol/invocation.ts';
import type { JsonValue } from '../protocol/json.ts';
import { redactValue } from './redact-value.ts';

/** Roles of a caller; `admin` and `operator` may see what others may not. */
export type Viewer = { readonly roles: ReadonlySet<string> };

export type PolicyContext = {
  readonly view: ResultView;
  readonly viewer: Viewer;
  /** Absolute directories of this host that never appear in a redacted view. */
  readonly knownPaths: readonly string[];
};

/** Whether this view is redacted for this viewer: AI and audit always are, the others unless the role may see all. */
export const isRedacted = ({ view, viewer }: Pick<PolicyContext, 'view' | 'viewer'>): boolean =>
  view === 'ai' || view === 'audit' || !(viewer.roles.has('admin') || viewer.roles.has('operator'));

/** The fields that a plugin writes; all others are the core's own and hold nothing to hide but the caller's address. */
const PLUGIN_FIELDS = ['data', 'error', 'warnings', 'presentation', 'aiAdvice', 'extensions'] as const;

/**
 * The result as this consumer may see it (§4.6). The stored result is not touched; `policy.redactionsApplied` names
 * the places and the reasons, never what stood there.
 */
export const applyPolicy = (result: CanonicalToolResult, context: PolicyContext): CanonicalToolResult =>
  isRedacted(context) ? redactResult(result, context.knownPaths) : result;

/**
 * The result without what ordinary consumers may not read. `scanned` says that `policy.containsSensitiveData` was
 * found just now by these same rules, so that a clean result is not searched a second time.
 */
export const redactResult = (
  result: CanonicalToolResult,
  knownPaths: readonly string[],
  { scanned = false }: { readonly scanned?: boolean } = {},
): CanonicalToolResult => {
  const redactions: Redaction[] = [...result.policy.redactionsApplied];
  const changes: Record<string, unknown> = {};
  if (!scanned || result.policy.containsSensitiveData) redactPluginFields(result, knownPaths, changes, redactions);
  if (result.origin.requestIp !== null) {
    changes['origin'] = { ...result.origin, requestIp: null };
    redactions.push({ pointer: '/origin/requestIp', reason: 'address' });
  }
  if (redactions.length === result.policy.redactionsApplied.length) return result;
  return { ...result, ...changes, policy: { ...result.policy, redactionsApplied: redactions } } as CanonicalToolResult;
};

const redactPluginFields = (
  result: CanonicalToolResult,
  knownPaths: readonly string[],
  changes: Record<string, unknown>,
  redactions: Redaction[],
): void => {
  for (const field of PLUGIN_FIELDS) {
    const value = result[field] as JsonValue;
    if (value === null) continue;
    const redacted = redactValue(value, [field], knownPaths);
    if (redacted.redactions.length === 0) continue;
    changes[field] = redacted.value;
    redactions.push(...redacted.redactions);
  }
  result.resources.forEach((resource, index) => {
    const redacted = redactValue(resource.metadata, ['resources', index, 'metadata'], knownPaths);
    if (redacted.redactions.length === 0) return;
    changes['resources'] ??= [...result.resources];
    (changes['resources'] as unknown[])[index] = { ...resource, metadata: redacted.value };
    redactions.push(...redacted.redactions);
  });
};
