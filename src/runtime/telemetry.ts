import { trace, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../ports/clock.ts';
import { noMetrics, type Metrics } from '../ports/metrics.ts';

/** What watches calls and requests. It sees sizes, times, codes and ids; no payload passes through it. */
export type Telemetry = {
  readonly metrics: Metrics;
  /** Spans go to whatever OpenTelemetry SDK the host has registered; without one they cost next to nothing. */
  readonly tracer: Tracer;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Measures nothing; spans still reach an SDK that the host registered. */
export const noTelemetry = (): Telemetry => ({
  metrics: noMetrics,
  tracer: trace.getTracer('vcp-runtime'),
  clock: { monotonic: () => 0 },
});
