import { context as contextApi, type Context } from '@opentelemetry/api';
import { METRICS } from '../lib/metric-definitions.ts';
import type { ResultView } from '../protocol/invocation.ts';
import type { AiView } from '../present/ai/ai-view.ts';
import type { AuditView } from '../present/audit.ts';
import type { WorkflowValue } from '../present/workflow.ts';
import type { ProjectedView } from './project.ts';
import type { Telemetry } from './telemetry.ts';
import { within } from './trace-context.ts';

/** Runs a projection, and keeps what it took and what it had to leave out (§18.1). */
export type ObservePresentation = (
  view: ResultView,
  trace: Context | undefined,
  present: () => ProjectedView,
) => ProjectedView;

export const createPresentationObserver = ({ metrics, tracer, clock }: Telemetry): ObservePresentation => {
  const of = (view: ResultView) => ({
    seconds: metrics.histogram(METRICS.presentationSeconds, { view }),
    truncations: metrics.counter(METRICS.truncations, { view }),
  });
  const figures = {
    canonical: of('canonical'),
    workflow: of('workflow'),
    ai: of('ai'),
    bridge: of('bridge'),
    audit: of('audit'),
  } satisfies Record<ResultView, unknown>;
  const aiCharacters = metrics.histogram(METRICS.aiCharacters, {});

  return (view, given, present) => {
    const begun = clock.monotonic();
    const parent = given ?? contextApi.active();
    const span = tracer.startSpan('vcp.present', { attributes: { 'vcp.view': view } }, parent);
    try {
      const projected = contextApi.with(within(parent, span), present);
      if (view === 'ai') aiCharacters.observe((projected as AiView).text.length);
      if (leftOut(view, projected)) figures[view].truncations.add();
      return projected;
    } finally {
      span.end();
      figures[view].seconds.observe((clock.monotonic() - begun) / 1_000);
    }
  };
};

const leftOut = (view: ResultView, projected: ProjectedView): boolean => {
  switch (view) {
    case 'ai': {
      const { fields, resources } = (projected as AiView).omitted;
      return fields.length > 0 || resources.length > 0;
    }
    case 'audit':
      return (projected as AuditView).omitted.length > 0;
    case 'workflow':
      return (projected as WorkflowValue).outputsOmitted > 0;
    case 'canonical':
    case 'bridge':
      return false;
  }
};
