import type { Limits } from '../lib/limits.ts';
import { applyPolicy, type Viewer } from '../policy/apply-policy.ts';
import { callerGiven } from '../policy/caller-given.ts';
import { createCensor } from '../policy/create-censor.ts';
import { hideCoreParts } from '../policy/hide-core-parts.ts';
import { withhold } from '../policy/withhold.ts';
import { DEFAULT_AI_CONTEXT, type AiContext, type AiView } from '../present/ai/ai-view.ts';
import { presentAi } from '../present/ai/present-ai.ts';
import { presentAudit, type AuditView } from '../present/audit.ts';
import { presentBridge } from '../present/bridge.ts';
import { presentHuman } from '../present/human.ts';
import { leftOut } from '../present/left-out.ts';
import { presentWorkflow, type WorkflowValue } from '../present/workflow.ts';
import { RESULT_READER_NAME } from './built-in/result-reader-manifest.ts';
import type { BridgeEnvelope } from '../protocol/bridge-envelope.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { ResultView } from '../protocol/invocation.ts';

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

/** What is missing from the AI view of a result that was withheld; its error is there, without words. */
const WITHHELD = ['data', 'warnings', 'presentation', 'aiAdvice'] as const;

/**
 * The AI view samples and redacts in one walk and renders the sample, so its cost follows the budget and not the data.
 * What cannot be looked through is withheld.
 */
export const projectForAi = (result: CanonicalToolResult, context: ProjectContext): AiView => {
  const ai = { ...DEFAULT_AI_CONTEXT, readerTool: RESULT_READER_NAME, ...context.ai };
  const given = callerGiven(result);
  const newCensor = () => createCensor(context.knownPaths, given);
  try {
    const hidden = hideCoreParts(result);
    const redactions = [...result.policy.redactionsApplied, ...hidden.redactions];
    return presentAi({ result: hidden.result, redactions, newCensor }, ai);
  } catch {
    const withheld = withhold(result);
    const view = presentAi({ result: withheld, redactions: withheld.policy.redactionsApplied, newCensor }, ai);
    const fields = WITHHELD.flatMap((part) => leftOut(`/${part}`, result[part]));
    const resources = result.resources.map(({ id }) => id);
    return { ...view, omitted: { ...view.omitted, fields: [...fields, ...view.omitted.fields], resources } };
  }
};
