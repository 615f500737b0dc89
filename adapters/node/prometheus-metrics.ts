import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { METRICS, type MetricDefinition } from '../../src/lib/metric-definitions.ts';
import type { Metrics, Reading } from '../../src/ports/metrics.ts';
import { registerTalliedHistogram, type TalliedHistogram } from './tallied-histogram.ts';

/** Figures in a registry of their own, so that two servers in one process do not share them. */
export type PrometheusMetrics = Metrics & {
  /** All figures as a scraper reads them. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
};

/** What prom-client gives on its own about the process and the event loop begins with this. */
const PROCESS_PREFIX = 'vcp_';

/**
 * Keeps figures for Prometheus. A series of a counter or a histogram is a number of ours that prom-client is given when
 * somebody reads it, so that counting costs an addition.
 */
export const createPrometheusMetrics = (): PrometheusMetrics => {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: PROCESS_PREFIX });
  const watch = (definition: MetricDefinition, read: () => readonly Reading<MetricDefinition>[]) => {
    const Kind = definition.type === 'counter' ? Counter : Gauge;
    const { name, help, labels } = definition;
    // A counter that was declared to be counted here may turn out to be somebody else's.
    register.removeSingleMetric(name);
    new Kind({
      name,
      help,
      labelNames: [...labels],
      registers: [register],
      collect() {
        this.reset();
        for (const reading of read()) this.inc(reading.labels, reading.value);
      },
    });
  };

  // Declared at once, so that a figure that is still empty is known to whoever reads.
  const histograms = new Map<string, TalliedHistogram>();
  const counted = new Map<string, { labels: Readonly<Record<string, string>>; value: number }[]>();
  for (const definition of Object.values(METRICS) as MetricDefinition[]) {
    if (definition.type === 'histogram')
      histograms.set(definition.name, registerTalliedHistogram(definition, register));
    if (definition.type !== 'counter') continue;
    const series: { labels: Readonly<Record<string, string>>; value: number }[] = [];
    counted.set(definition.name, series);
    watch(definition, () => series);
  }

  return {
    watch,
    counter: ({ name }, labels) => {
      const series = { labels, value: 0 };
      (counted.get(name) as (typeof series)[]).push(series);
      return { add: (amount = 1) => void (series.value += amount) };
    },
    histogram: ({ name }, labels) => (histograms.get(name) as TalliedHistogram).tally(labels),
    exposition: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  };
};
