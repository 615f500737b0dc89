import type { Censor } from '../lib/censor.ts';
import type { CanonicalToolResult, Redaction } from '../protocol/canonical-tool-result.ts';
import type { ResultView } from '../protocol/invocation.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { createCensor } from './create-censor.ts';
import { redactValue } from './redact-value.ts';
import { withhold } from './withhold.ts';

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

/**
 * The result as this consumer may see it (§4.6). The stored result is not touched; `policy.redactionsApplied` names
 * the places and the reasons, never what stood there.
 */
export const applyPolicy = (result: CanonicalToolResult, context: PolicyContext): CanonicalToolResult =>
  isRedacted(context) ? redactResult(result, context.knownPaths) : result;

/**
 * The result without what ordinary consumers may not read. `scanned` says that `policy.containsSensitiveData` was
 * found just now by these same rules, so that a clean result is not searched a second time. A result on which the
 * rules fail is withheld whole.
 */
export const redactResult = (
  result: CanonicalToolResult,
  knownPaths: readonly string[],
  { scanned = false }: { readonly scanned?: boolean } = {},
): CanonicalToolResult => {
  try {
    return redact(result, knownPaths, scanned);
  } catch {
    return withhold(result);
  }
};

const redact = (result: CanonicalToolResult, knownPaths: readonly string[], scanned: boolean): CanonicalToolResult => {
  const redactions: Redaction[] = [...result.policy.redactionsApplied];
  const changes: Record<string, unknown> = {};
  if (!scanned || result.policy.containsSensitiveData) {
    const censor = createCensor(knownPaths);
    Object.assign(changes, redactPluginParts(result, censor));
    redactions.push(...censor.redactions);
  }
  const withoutOutput = withoutProcessOutput((changes['error'] ?? result.error) as CanonicalToolResult['error']);
  if (withoutOutput !== null) {
    changes['error'] = withoutOutput;
    redactions.push({ pointer: '/error/details/stderr', reason: 'stderr' });
  }
  if (result.origin.requestIp !== null) {
    changes['origin'] = { ...result.origin, requestIp: null };
    redactions.push({ pointer: '/origin/requestIp', reason: 'address' });
  }
  if (redactions.length === result.policy.redactionsApplied.length) return result;
  return { ...result, ...changes, policy: { ...result.policy, redactionsApplied: redactions } } as CanonicalToolResult;
};

/** What a plugin contributed to a result; all else is the core's own. */
export type PluginParts = {
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly error: CanonicalToolResult['error'];
  readonly warnings: readonly Warning[];
  readonly presentation: CanonicalToolResult['presentation'];
  readonly aiAdvice: CanonicalToolResult['aiAdvice'];
  readonly extensions: object;
};

/** The parts that the censor changed. */
export const redactPluginParts = (parts: PluginParts, censor: Censor): Partial<Record<keyof PluginParts, unknown>> => {
  const changes: Partial<Record<keyof PluginParts, unknown>> = {};
  for (const name of ['data', 'error', 'warnings', 'presentation', 'aiAdvice', 'extensions'] as const) {
    const redacted = redactValue(parts[name] as unknown as JsonValue, [name], censor);
    if (redacted !== parts[name]) changes[name] = redacted;
  }
  const resources = parts.resources.map((resource, index) => redactResource(resource, ['resources', index], censor));
  if (resources.some((resource, index) => resource !== parts.resources[index])) changes.resources = resources;
  return changes;
};

/** The plugin's words in a descriptor: its file name, source and metadata, and the URL when it is not ours. */
const redactResource = (
  resource: ResourceDescriptor,
  path: readonly PropertyKey[],
  censor: Censor,
): ResourceDescriptor => {
  const { fileName, source, metadata, url, access } = resource;
  const spoken = {
    fileName,
    source,
    metadata,
    ...(access.type === 'external' ? { url } : {}),
  } as unknown as JsonObject;
  const redacted = redactValue(spoken, path, censor);
  return redacted === spoken ? resource : { ...resource, ...(redacted as object) };
};

/** §19.3 counts stderr among the fields that ordinary consumers do not read; the core put it there for operators. */
const withoutProcessOutput = (error: CanonicalToolResult['error']): unknown => {
  const details = error?.details;
  const isCoreError = error !== null && CORE_CATEGORIES.has(error.category);
  if (!isCoreError || typeof details !== 'object' || details === null || !Object.hasOwn(details, 'stderr')) return null;
  return { ...error, details: { ...details, stderr: '[redacted: stderr]' } };
};

const CORE_CATEGORIES: ReadonlySet<string> = new Set(['transport', 'protocol', 'runtime', 'timeout', 'cancelled']);
