import type { MetricDefinition } from '../../src/lib/metric-definitions.ts';
import type { Metrics, Reading } from '../../src/ports/metrics.ts';

export type RecordedMetrics = Metrics & {
  /** The sum of a counter, or the values that a histogram was given, by `name{label="value",…}`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly observations: ReadonlyMap<string, readonly number[]>;
};

const series = ({ name }: MetricDefinition, labels: Readonly<Record<string, string>>): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;

/** Keeps figures where a test can read them. */
export const recordMetrics = (): RecordedMetrics => {
  const counts = new Map<string, number>();
  const observations = new Map<string, number[]>();
  return {
    counts,
    observations,
    counter: (definition, labels) => {
      const key = series(definition, labels);
      return { add: (amount = 1) => void counts.set(key, (counts.get(key) ?? 0) + amount) };
    },
    histogram: (definition, labels) => {
      const key = series(definition, labels);
      return { observe: (value) => void observations.set(key, [...(observations.get(key) ?? []), value]) };
    },
    watch: (_definition: MetricDefinition, _read: () => readonly Reading<MetricDefinition>[]) => undefined,
  };
};
