import { METRICS, type MetricDefinition } from '../../src/lib/metric-definitions.ts';
import { markdownTable } from './write.ts';

/** Every figure of `GET /metrics` that is ours. */
export const metricsTable = (): string =>
  markdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    (Object.values(METRICS) as MetricDefinition[]).map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  );
