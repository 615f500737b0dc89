import type { Issue } from '../lib/issue.ts';
import type { AiAdvice } from '../protocol/ai-advice.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { Presentation } from '../protocol/presentation.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { inconsistent } from './inconsistent.ts';
import { misplacedOutputs } from './misplaced-outputs.ts';
import { danglingAt, rewriteReferences } from './rewrite-references.ts';

/** A payload whose references point at what was published. */
export type RewrittenPayload = {
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly presentation: Presentation | null;
  readonly aiAdvice: AiAdvice | null;
  readonly warnings: readonly Warning[];
};

/** A payload whose resources have been published, and what they are now. */
export type Rewriting = {
  readonly payload: PluginResultPayload;
  readonly command: InvocationCommand;
  /** The payload's data, without the files that stood in it. */
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly warnings: readonly Warning[];
  readonly publishedIds: ReadonlyMap<string, string>;
  readonly reportedIssues: number;
};

/** Replaces the plugin's local ids by the published ones wherever they stand; one that stands for nothing is an issue. */
export const rewritePayload = ({
  payload,
  command,
  data: given,
  resources,
  warnings,
  publishedIds,
  reportedIssues,
}: Rewriting): { readonly ok: true; readonly published: RewrittenPayload } | ReturnType<typeof inconsistent> => {
  const data = rewriteReferences(given, publishedIds, ['data']);
  if (!data.ok) return inconsistent([data.issue], reportedIssues);

  const issues: Issue[] = [];
  const idOf = (local: string, path: readonly PropertyKey[]): string => {
    const published = publishedIds.get(local);
    if (published === undefined) issues.push(danglingAt(local, path));
    return published ?? local;
  };
  const { presentation, aiAdvice } = withDefaults(payload, command, publishedIds);
  const primary = presentation?.primaryResourceId ?? null;
  const published: RewrittenPayload = {
    data: data.value,
    resources,
    warnings,
    presentation:
      presentation === null || primary === null
        ? presentation
        : { ...presentation, primaryResourceId: idOf(primary, ['presentation', 'primaryResourceId']) },
    aiAdvice:
      aiAdvice === null || aiAdvice.resourceIds.length === 0
        ? aiAdvice
        : {
            ...aiAdvice,
            resourceIds: aiAdvice.resourceIds.map((id, index) => idOf(id, ['aiAdvice', 'resourceIds', index])),
          },
  };
  if (payload.status === 'success' || payload.status === 'partial') {
    issues.push(...misplacedOutputs(data.value, command, resources));
  }
  return issues.length > 0 ? inconsistent(issues, reportedIssues) : { ok: true, published };
};

/** The manifest's hints stand in where a result that came to something has none; without resources it does not have. */
const withDefaults = (
  payload: PluginResultPayload,
  command: InvocationCommand,
  publishedIds: ReadonlyMap<string, string>,
): Pick<RewrittenPayload, 'presentation' | 'aiAdvice'> => {
  const { presentation, aiAdvice } = payload;
  if (payload.status === 'error' || payload.status === 'cancelled') return { presentation, aiAdvice };
  const usual = command.aiAdvice ?? null;
  const usualView = command.presentation ?? null;
  const usualPrimary = usualView?.primaryResourceId ?? null;
  return {
    presentation:
      presentation ??
      (usualView && {
        ...usualView,
        primaryResourceId: usualPrimary !== null && publishedIds.has(usualPrimary) ? usualPrimary : null,
      }),
    aiAdvice: aiAdvice ?? (usual && { ...usual, resourceIds: usual.resourceIds.filter((id) => publishedIds.has(id)) }),
  };
};
