import type { Censor, NotingCensor } from '../lib/censor.ts';
import type { CanonicalToolResult, Redaction, ToolIdentity } from '../protocol/canonical-tool-result.ts';
import type { Actor, ResultView } from '../protocol/invocation.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Task } from '../protocol/task.ts';
import type { Warning } from '../protocol/warning.ts';
import { callerGiven } from './caller-given.ts';
import { createCensor } from './create-censor.ts';
import { hideCoreParts } from './hide-core-parts.ts';
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
  isRedacted(context)
    ? redactResult(result, context.knownPaths, context.view === 'audit' ? {} : { given: callerGiven(result) })
    : result;

/**
 * The result without what ordinary consumers may not read. `scanned` says that `policy.containsSensitiveData` was
 * found just now by these same rules, so that a clean result is not searched a second time. Paths and addresses that
 * are `given` stay. A result on which the rules fail is withheld whole.
 */
export const redactResult = (
  result: CanonicalToolResult,
  knownPaths: readonly string[],
  { scanned = false, given }: { readonly scanned?: boolean; readonly given?: ReadonlySet<string> } = {},
): CanonicalToolResult => {
  try {
    return redact(result, createCensor(knownPaths, given), scanned);
  } catch {
    return withhold(result);
  }
};

const redact = (result: CanonicalToolResult, censor: NotingCensor, scanned: boolean): CanonicalToolResult => {
  const hidden = hideCoreParts(result);
  const redactions: Redaction[] = [...result.policy.redactionsApplied];
  const changes: Record<string, unknown> = {};
  if (!scanned || result.policy.containsSensitiveData) {
    Object.assign(changes, redactPluginParts(hidden.result, censor));
    redactions.push(...censor.redactions);
  }
  redactions.push(...hidden.redactions);
  if (redactions.length === result.policy.redactionsApplied.length) return result;
  const policy = { ...result.policy, redactionsApplied: redactions };
  return { ...hidden.result, ...changes, policy } as CanonicalToolResult;
};

/** What a plugin or a caller contributed to a result; all else is the core's own. */
export type PluginParts = {
  readonly tool: ToolIdentity;
  readonly actor: Actor | null;
  readonly task: Task | null;
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly error: CanonicalToolResult['error'];
  readonly warnings: readonly Warning[];
  readonly presentation: CanonicalToolResult['presentation'];
  readonly aiAdvice: CanonicalToolResult['aiAdvice'];
  readonly extensions: object;
};

const PARTS = [
  'data',
  'error',
  'warnings',
  'presentation',
  'aiAdvice',
  'extensions',
  'task',
  'tool',
  'actor',
] as const satisfies readonly (keyof PluginParts)[];

/** The parts that the censor changed. */
export const redactPluginParts = (parts: PluginParts, censor: Censor): Partial<Record<keyof PluginParts, unknown>> => {
  const changes: Partial<Record<keyof PluginParts, unknown>> = {};
  for (const name of PARTS) {
    const redacted = redactValue(parts[name] as unknown as JsonValue, [name], censor);
    if (redacted !== parts[name]) changes[name] = redacted;
  }
  const resources = parts.resources.map((resource, index) => redactResource(resource, ['resources', index], censor));
  if (resources.some((resource, index) => resource !== parts.resources[index])) changes.resources = resources;
  return changes;
};

/** The plugin's words in a descriptor: its file name, source and metadata, and the URL when it is not ours. */
export const redactResource = (
  resource: ResourceDescriptor,
  path: readonly PropertyKey[],
  censor: Censor,
): ResourceDescriptor => {
  const { fileName, mimeType, source, metadata, url, access } = resource;
  const isOurs = access.type !== 'external';
  const spoken = { fileName, mimeType, source, metadata, ...(isOurs ? {} : { url }) } as unknown as JsonObject;
  const redacted = redactValue(spoken, path, censor) as object as Partial<ResourceDescriptor>;
  if ((redacted as object) === spoken) return resource;
  return {
    ...resource,
    ...redacted,
    // What was hidden stood in a parameter: types and their names are of few characters.
    ...(redacted.mimeType === mimeType ? {} : { mimeType: mimeType.replace(/\s*;.*$/s, '') }),
    // A URL of ours ends with the file's name, and leads to the resource without it as well.
    ...(isOurs && redacted.fileName !== fileName ? { url: url.replace(`/${encodeURIComponent(fileName)}`, '') } : {}),
  };
};
