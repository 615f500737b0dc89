import type { Metric, Registry } from 'prom-client';
import type { MetricDefinition } from '../../src/lib/metric-definitions.ts';
import type { Histogram } from '../../src/ports/metrics.ts';

type HistogramDefinition = MetricDefinition & { readonly type: 'histogram' };
type Labels = Readonly<Record<string, string>>;
type Series = { readonly labels: Labels; readonly counts: number[]; sum: number };

/** Gives a histogram for each set of labels; whoever observes often keeps it. */
export type TalliedHistogram = { tally(labels: Labels): Histogram };

/**
 * A histogram in a registry of prom-client in which an observation is an addition. The library's own looks its series up
 * by a text made of all labels each time, which costs ten times as much, and a call makes six observations. What the
 * registry asks of a metric is its name and `get()`.
 */
export const registerTalliedHistogram = (definition: HistogramDefinition, register: Registry): TalliedHistogram => {
  const { name, help, buckets } = definition;
  const all: Series[] = [];

  /** Buckets are cumulative where they are read. */
  const samplesOf = ({ labels, counts, sum }: Series) => {
    let count = 0;
    const cumulative = counts.map((inBucket, index) => {
      count += inBucket;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[index] ?? '+Inf' }, value: count };
    });
    return [
      ...cumulative,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };

  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: all.flatMap(samplesOf) });
  register.registerMetric({ name, get } as unknown as Metric);

  return {
    tally: (labels) => {
      const series: Series = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
      all.push(series);
      return {
        observe: (value) => {
          let bucket = 0;
          while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket += 1;
          series.counts[bucket] = (series.counts[bucket] as number) + 1;
          series.sum += value;
        },
      };
    },
  };
};
