import { INVALID_TRACEID, trace, type Context, type Span } from '@opentelemetry/api';

/** Whether an SDK gave the span, or a trace came with the request: every other span stands for nothing. */
export const isTraced = (span: Span): boolean => span.spanContext().traceId !== INVALID_TRACEID;

/** The context that work of the span runs in. Making one costs more than all else of a span that stands for nothing. */
export const within = (parent: Context, span: Span): Context => (isTraced(span) ? trace.setSpan(parent, span) : parent);

/** The ids that log lines carry. */
export const traceIdsOf = (span: Span): { traceId?: string; spanId?: string } => {
  if (!isTraced(span)) return {};
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
};
