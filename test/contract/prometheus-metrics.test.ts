import { describe, expect, it } from 'vitest';
import { createPrometheusMetrics } from '../../adapters/node/prometheus-metrics.ts';
import { METRICS } from '../../src/lib/metric-definitions.ts';

/** The lines of one figure. */
const linesOf = async (metrics: ReturnType<typeof createPrometheusMetrics>, name: string): Promise<string[]> =>
  (await metrics.exposition()).text.split('\n').filter((line) => line.includes(name));

describe('figures for Prometheus', () => {
  it('add up by labels, and escape what labels hold', async () => {
    const metrics = createPrometheusMetrics();
    const calls = metrics.counter(METRICS.calls, { tool: 'a "b"\n', status: 'success' });
    calls.add();
    calls.add(2);
    metrics.counter(METRICS.calls, { tool: 'c', status: 'error' }).add();
    expect(await linesOf(metrics, 'vcp_tool_calls_total')).toEqual([
      '# HELP vcp_tool_calls_total Calls that have ended, by tool and status of the result.',
      '# TYPE vcp_tool_calls_total counter',
      String.raw`vcp_tool_calls_total{tool="a \"b\"\n",status="success"} 3`,
      'vcp_tool_calls_total{tool="c",status="error"} 1',
    ]);
  });

  it('count observations in cumulative buckets; a bound belongs to its bucket', async () => {
    const metrics = createPrometheusMetrics();
    const characters = metrics.histogram(METRICS.aiCharacters, {});
    for (const value of [50, 100, 101, 1_000_000]) characters.observe(value);
    expect((await linesOf(metrics, 'vcp_ai_projection_characters')).slice(1)).toEqual([
      '# TYPE vcp_ai_projection_characters histogram',
      'vcp_ai_projection_characters_bucket{le="100"} 2',
      'vcp_ai_projection_characters_bucket{le="300"} 3',
      'vcp_ai_projection_characters_bucket{le="1000"} 3',
      'vcp_ai_projection_characters_bucket{le="3000"} 3',
      'vcp_ai_projection_characters_bucket{le="10000"} 3',
      'vcp_ai_projection_characters_bucket{le="30000"} 3',
      'vcp_ai_projection_characters_bucket{le="100000"} 3',
      'vcp_ai_projection_characters_bucket{le="+Inf"} 4',
      'vcp_ai_projection_characters_sum 1000251',
      'vcp_ai_projection_characters_count 4',
    ]);
  });

  it('ask for what others keep each time that they are read', async () => {
    const metrics = createPrometheusMetrics();
    let value = 1;
    metrics.watch(METRICS.plugins, () => [{ labels: { state: 'served' }, value }]);
    metrics.watch(METRICS.recycledProcesses, () => [{ labels: { tool: 'a', mode: 'worker' }, value }]);
    await metrics.exposition();
    value = 2;
    expect((await linesOf(metrics, 'vcp_plugins')).at(-1)).toBe('vcp_plugins{state="served"} 2');
    expect((await linesOf(metrics, 'vcp_plugin_processes_recycled_total')).slice(1)).toEqual([
      '# TYPE vcp_plugin_processes_recycled_total counter',
      'vcp_plugin_processes_recycled_total{tool="a",mode="worker"} 2',
    ]);
  });

  it('are kept apart for two servers in one process', async () => {
    const [one, other] = [createPrometheusMetrics(), createPrometheusMetrics()];
    one.counter(METRICS.truncations, { view: 'ai' }).add();
    expect(await linesOf(other, 'vcp_presentation_truncations_total{')).toEqual([]);
    expect(await linesOf(one, 'vcp_presentation_truncations_total{')).toHaveLength(1);
  });
});
