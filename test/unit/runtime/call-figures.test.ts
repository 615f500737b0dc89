import { trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { callSample, createMemoryApp, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { recordMetrics } from '../../support/recorded-metrics.ts';
import { base64Of, MAGIC, manifest } from '../../support/sample-values.ts';

/** A clock that a millisecond passes on at every look, so that durations are known. */
const observed = () => {
  let now = 0;
  const metrics = recordMetrics();
  return { metrics, telemetry: { metrics, tracer: trace.getTracer('test'), clock: { monotonic: () => (now += 1) } } };
};

describe('the figures of a call', () => {
  it('count it by tool and status, and time it and its stages in seconds', async () => {
    const { metrics, telemetry } = observed();
    await callSample(createMemoryRuntime({ telemetry }));
    expect(metrics.counts.get('vcp_tool_calls_total{tool="Sample",status="success"}')).toBe(1);
    expect(metrics.observations.get('vcp_tool_stage_duration_seconds{tool="Sample",stage="transport"}')).toEqual([
      0.001,
    ]);
    expect(metrics.observations.get('vcp_tool_call_duration_seconds{tool="Sample"}')).toEqual([0.009]);
    expect([...metrics.observations.keys()].filter((key) => key.includes('stage=')).length).toBe(4);
  });

  it('measure arguments and result as UTF-8', async () => {
    const { metrics, telemetry } = observed();
    const result = await callSample(createMemoryRuntime({ telemetry }), { text: '汉字' });
    expect(metrics.counts.get('vcp_tool_input_bytes_total{tool="Sample"}')).toBe('{"text":"......"}'.length);
    const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
    expect(metrics.counts.get('vcp_tool_output_bytes_total{tool="Sample"}')).toBe(bytes);
  });

  it('count resources that came as Base64, and the bytes of all', async () => {
    const { metrics, telemetry } = observed();
    const resources = [
      { id: 'a', fileName: 'a.png', base64: base64Of(MAGIC.png) },
      { id: 'b', fileName: 'b.txt', dataUri: 'data:text/plain;base64,aGVsbG8=' },
      { id: 'c', fileName: 'c.png', url: 'https://example.com/c.png', mimeType: 'image/png' },
    ];
    const data = { note: 'data:text/plain;base64,aGVsbG8h' };
    const result = await callSample(createMemoryRuntime({ telemetry, answer: () => success(data, { resources }) }));
    expect(result.error).toBeNull();
    expect(metrics.counts.get('vcp_tool_base64_resources_total{tool="Sample"}')).toBe(3);
    expect(metrics.counts.get('vcp_tool_resource_bytes_total{tool="Sample"}')).toBe(MAGIC.png.length + 5 + 6);
  });

  it('tell protocol and schema errors apart', async () => {
    const { metrics, telemetry } = observed();
    await callSample(createMemoryRuntime({ telemetry, answer: () => ({ status: 'success', data: {}, extra: 1 }) }));
    const strict = manifest({}, { inputSchema: { type: 'object', required: ['n'] } });
    await callSample(createMemoryRuntime({ telemetry, manifests: [strict] }));
    const errors = [...metrics.counts.keys()].filter((key) => key.startsWith('vcp_tool_errors_total'));
    expect(errors).toEqual([
      'vcp_tool_errors_total{tool="Sample",category="protocol",code="INVALID_TOOL_RESULT"}',
      'vcp_tool_errors_total{tool="Sample",category="validation",code="MISSING_ARGUMENT"}',
    ]);
  });

  it('name no tool that nobody registered, and no code that nobody declared', async () => {
    const { metrics, telemetry } = observed();
    const answer = () => ({ status: 'error', data: null, error: { code: 'MADE.UP', message: 'x' } });
    const runtime = createMemoryRuntime({ telemetry, answer });
    await callSample(runtime, {}, { toolName: 'x"}\n' });
    await callSample(runtime, {}, { toolName: 'another' });
    await callSample(runtime);
    expect(metrics.counts.get('vcp_tool_calls_total{tool="(unknown)",status="error"}')).toBe(2);
    expect(metrics.counts.get('vcp_tool_errors_total{tool="Sample",category="domain",code="(undeclared)"}')).toBe(1);
  });

  it('name a code that the manifest declares', async () => {
    const { metrics, telemetry } = observed();
    const declared = manifest({}, { errorCodes: ['SAMPLE.NO'] });
    const answer = () => ({ status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'x' } });
    await callSample(createMemoryRuntime({ telemetry, answer, manifests: [declared] }));
    expect(metrics.counts.get('vcp_tool_errors_total{tool="Sample",category="domain",code="SAMPLE.NO"}')).toBe(1);
  });

  it('do without the size of arguments that are no JSON', async () => {
    const { metrics, telemetry } = observed();
    const cycle: Record<string, unknown> = { large: 1n };
    cycle['self'] = cycle;
    expect((await callSample(createMemoryRuntime({ telemetry }), cycle)).status).toBe('error');
    expect(metrics.counts.get('vcp_tool_calls_total{tool="Sample",status="error"}')).toBe(1);
    expect(metrics.counts.get('vcp_tool_input_bytes_total{tool="Sample"}')).toBeUndefined();
  });

  it('count what could not be stored', async () => {
    const { metrics, telemetry } = observed();
    const parts = createMemoryRuntime();
    const calls = { ...parts.calls, saveCall: () => Promise.reject(new Error('disk full')) };
    await callSample(createMemoryRuntime({ telemetry, calls }));
    expect(metrics.counts.get('vcp_tool_results_not_stored_total{tool="Sample"}')).toBe(1);
  });
});

describe('the load of a runtime', () => {
  it('is what has a place and what waits for one', async () => {
    let finish: (payload: unknown) => void = () => undefined;
    const answer = () => new Promise((resolve) => (finish = resolve));
    const narrow = manifest({ communication: { protocol: 'direct', concurrency: 1 } });
    const parts = createMemoryRuntime({ manifests: [narrow], answer });
    const calls = [callSample(parts), callSample(parts), callSample(parts)];
    while (parts.delivered.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(parts.runtime.load()).toEqual([{ toolName: 'Sample', running: 1, waiting: 2 }]);
    for (let left = calls.length; left > 0; left -= 1) {
      const delivered = parts.delivered.length;
      finish(success({}));
      while (left > 1 && parts.delivered.length === delivered) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(calls);
    expect(parts.runtime.load()).toEqual([{ toolName: 'Sample', running: 0, waiting: 0 }]);
  });
});

describe('the figures of requests and views', () => {
  it('go by the pattern of the route, whatever path and method a client invents', async () => {
    const { metrics, telemetry } = observed();
    const { send } = createMemoryApp({ telemetry });
    await send('/v1/tools/Sample');
    await send('/v1/tools/Nobody');
    await send('/invented/1');
    await send('/invented/2');
    await send('/v1/tools', { method: 'PROPFIND' });
    await send('/v1/tools', { as: null });
    const requests = [...metrics.counts].filter(([key]) => key.startsWith('vcp_http_requests_total'));
    expect(requests).toEqual([
      ['vcp_http_requests_total{method="GET",route="/v1/tools/:tool",status="200"}', 1],
      ['vcp_http_requests_total{method="GET",route="/v1/tools/:tool",status="404"}', 1],
      ['vcp_http_requests_total{method="GET",route="(none)",status="404"}', 2],
      ['vcp_http_requests_total{method="(other)",route="/v1/tools",status="405"}', 1],
      ['vcp_http_requests_total{method="GET",route="/v1/*",status="401"}', 1],
    ]);
  });

  it('count the characters that a model reads, and the views that had to be cut', async () => {
    const { metrics, telemetry } = observed();
    const { call } = createMemoryApp({ telemetry, answer: () => success({ text: 'x'.repeat(100_000) }) });
    const view = (await (await call({ tool: 'Sample', options: { view: 'ai' } })).json()) as { text: string };
    await call({ tool: 'Sample' });
    expect(metrics.observations.get('vcp_ai_projection_characters{}')).toEqual([view.text.length]);
    expect(metrics.counts.get('vcp_presentation_truncations_total{view="ai"}')).toBe(1);
    expect(metrics.counts.get('vcp_presentation_truncations_total{view="canonical"}')).toBeUndefined();
    expect(metrics.observations.get('vcp_presentation_duration_seconds{view="ai"}')).toEqual([0.001]);
  });
});
