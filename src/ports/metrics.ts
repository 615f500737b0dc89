import type { MetricDefinition } from '../lib/metric-definitions.ts';

/** A value for each label that a figure declares. */
export type LabelsOf<Definition extends MetricDefinition> = {
  readonly [Label in Definition['labels'][number]]: string;
};

export type Counter = { add(amount?: number): void };
export type Histogram = { observe(value: number): void };

export type Reading<Definition extends MetricDefinition> = {
  readonly labels: LabelsOf<Definition>;
  readonly value: number;
};

/**
 * Where figures are kept. `counter` and `histogram` look their labels up, so whoever counts often keeps what they
 * return; nothing here fails or waits.
 */
export type Metrics = {
  counter<Definition extends MetricDefinition & { readonly type: 'counter' }>(
    definition: Definition,
    labels: LabelsOf<Definition>,
  ): Counter;
  histogram<Definition extends MetricDefinition & { readonly type: 'histogram' }>(
    definition: Definition,
    labels: LabelsOf<Definition>,
  ): Histogram;
  /** A figure that somebody else keeps: it is asked for whenever figures are read. */
  watch<Definition extends MetricDefinition & { readonly type: 'counter' | 'gauge' }>(
    definition: Definition,
    read: () => readonly Reading<Definition>[],
  ): void;
};

const ignore = () => undefined;

/** Counts nothing: for tests, and for runtimes where nobody asks. */
export const noMetrics: Metrics = {
  counter: () => ({ add: ignore }),
  histogram: () => ({ observe: ignore }),
  watch: ignore,
};
