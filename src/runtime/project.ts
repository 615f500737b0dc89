import type { Limits } from '../lib/limits.ts';
import { sampleJson } from '../lib/sample-json.ts';
import { applyPolicy, type Viewer } from '../policy/apply-policy.ts';
import { createCensor } from '../policy/create-censor.ts';
import { withhold } from '../policy/withhold.ts';
import { DEFAULT_AI_CONTEXT, type AiContext, type AiView } from '../present/ai/ai-view.ts';
import { presentAi, type SampledResult } from '../present/ai/present-ai.ts';
import { presentAudit, type AuditView } from '../present/audit.ts';
import { presentBridge } from '../present/bridge.ts';
import { presentHuman } from '../present/human.ts';
import { presentWorkflow, type WorkflowValue } from '../present/workflow.ts';
import type { BridgeEnvelope } from '../protocol/bridge-envelope.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { ResultView } from '../protocol/invocation.ts';
import type { JsonValue } from '../protocol/json.ts';

export type ProjectContext = {
  readonly viewer: Viewer;
  readonly knownPaths: readonly string[];
  readonly limits: Pick<Limits, 'auditDataCharacters'>;
  readonly ai?: Partial<AiContext>;
};

export type ProjectedView = CanonicalToolResult | WorkflowValue | AiView | BridgeEnvelope | AuditView;

/** A stored result as one consumer reads it: policy first, then its presenter. Nothing is written back. */
export const project = (result: CanonicalToolResult, view: ResultView, context: ProjectContext): ProjectedView => {
  if (view === 'ai') return projectForAi(result, context);
  const visible = applyPolicy(result, { view, viewer: context.viewer, knownPaths: context.knownPaths });
  switch (view) {
    case 'canonical':
      return presentHuman(visible);
    case 'workflow':
      return presentWorkflow(visible);
    case 'bridge':
      return presentBridge(visible);
    case 'audit':
      return presentAudit(visible, { dataCharacters: context.limits.auditDataCharacters });
  }
};

/** Levels of nesting that a model is shown. */
const AI_DEPTH = 12;
/** Tries to fit the budget: escaping and layout can only be estimated before they are done. */
const ATTEMPTS = 5;

/**
 * The AI view samples and redacts in one walk and renders the sample, so its cost follows the budget and not the data.
 * When layout made it longer than allowed it samples again, smaller.
 */
export const projectForAi = (result: CanonicalToolResult, context: ProjectContext): AiView => {
  const ai = { ...DEFAULT_AI_CONTEXT, ...context.ai };
  let budget = ai.maxCharacters;
  let view: AiView | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    view = presentAi(visibleSample(result, budget, context), ai);
    if (view.text.length <= ai.maxCharacters) return view;
    budget = Math.max(0, Math.floor((budget * ai.maxCharacters) / view.text.length) - 200);
  }
  return cutToBudget(view as AiView, ai.maxCharacters, result.id);
};

/** As much of a result as the budget shows, and as its reader may see it. */
const visibleSample = (result: CanonicalToolResult, budget: number, context: ProjectContext): SampledResult => {
  try {
    return sampleAndRedact(result, budget, context);
  } catch {
    return { result: withhold(result), omissions: [] };
  }
};

const sampleAndRedact = (result: CanonicalToolResult, budget: number, context: ProjectContext): SampledResult => {
  const censor = createCensor(context.knownPaths);
  const sample = (value: JsonValue, share: number, path: readonly PropertyKey[]) =>
    sampleJson(value, { budget: Math.floor(budget * share), depth: AI_DEPTH, path, censor });
  const data = sample(result.data, 1, ['data']);
  const details = sample((result.error?.details ?? null) as JsonValue, 0.5, ['error', 'details']);
  // Warnings get a share of their own: a flood of them must not push the data out (§8.5).
  const warnings = sample(result.warnings as unknown as JsonValue, 0.2, ['warnings']);
  const sampled = {
    ...result,
    data: data.value,
    warnings: warnings.value,
    error: result.error === null ? null : { ...result.error, details: details.value },
    policy: { ...result.policy, redactionsApplied: [...result.policy.redactionsApplied, ...censor.redactions] },
  } as CanonicalToolResult;
  return {
    result: applyPolicy(sampled, { view: 'ai', viewer: context.viewer, knownPaths: context.knownPaths }),
    omissions: [...data.omissions, ...details.omissions, ...warnings.omissions],
  };
};

/** Long warnings or messages alone can exceed a tiny budget: then the text is cut, and says so. */
const cutToBudget = (view: AiView, maxCharacters: number, resultId: string): AiView => {
  const notice = `\n\n(cut to ${maxCharacters} characters; the full result is stored as ${resultId})`;
  const kept = view.text.slice(0, Math.max(0, maxCharacters - notice.length));
  const text = (kept.isWellFormed() ? kept : kept.slice(0, -1)) + notice;
  const fields = [
    ...view.omitted.fields,
    { pointer: '', unit: 'characters' as const, originalCount: view.text.length, keptCount: kept.length },
  ];
  return { text, content: [{ type: 'text', text }, ...view.content.slice(1)], omitted: { ...view.omitted, fields } };
};
