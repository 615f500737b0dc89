import { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noMetrics } from '../../../src/ports/metrics.ts';
import { TransportError } from '../../../src/ports/transport.ts';
import { callSample, createMemoryApp, createMemoryRuntime } from '../../support/memory-runtime.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const traced = () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const telemetry = { metrics: noMetrics, tracer: provider.getTracer('test'), clock: { monotonic: () => 0 } };
  return { exporter, telemetry };
};

/** Every span as `parent > child`, in the order in which they began. */
const treeOf = (spans: readonly ReadableSpan[]): string[] => {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  const parentOf = (span: ReadableSpan) => names.get(span.parentSpanContext?.spanId ?? '') ?? null;
  return spans.map((span) => `${parentOf(span) ?? '-'} > ${span.name}`).toSorted();
};

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

describe('the spans of a request that calls a tool', () => {
  beforeAll(() => void propagation.setGlobalPropagator(new W3CTraceContextPropagator()));
  afterAll(() => propagation.disable());

  const call = async (answer?: () => unknown) => {
    const { exporter, telemetry } = traced();
    const parts = createMemoryApp({ telemetry, ...(answer === undefined ? {} : { answer }) });
    const response = await parts.send('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${TRACE}-${PARENT}-01` },
      body: '{"tool":"Sample","arguments":{"password":"hunter22"}}',
    });
    const result = (await response.json()) as { id: string; execution: Record<string, string> };
    return { spans: exporter.getFinishedSpans(), result, logged: parts.logged };
  };

  it('are a tree below the span of the client', async () => {
    const { spans } = await call();
    expect(treeOf(spans)).toEqual([
      '- > POST /v1/human/tool',
      'POST /v1/human/tool > execute_tool Sample',
      'POST /v1/human/tool > vcp.present',
      'execute_tool Sample > vcp.queue',
      'execute_tool Sample > vcp.resources',
      'execute_tool Sample > vcp.store',
      'execute_tool Sample > vcp.transport',
    ]);
    const request = named(spans, 'POST /v1/human/tool');
    expect([request.kind, request.parentSpanContext?.spanId]).toEqual([SpanKind.SERVER, PARENT]);
    expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]));
  });

  it('carry the ids of the call, and nothing that it was about', async () => {
    const { spans, result } = await call();
    expect(named(spans, 'execute_tool Sample').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Sample',
      'gen_ai.tool.type': 'extension',
      'gen_ai.tool.call.id': result.execution['invocationId'],
      'vcp.invocation.id': result.execution['invocationId'],
      'vcp.request.id': result.execution['requestId'],
      'vcp.result.id': result.id,
      'vcp.record.id': result.execution['recordId'],
      'vcp.tool.command': 'Run',
      'vcp.status': 'success',
    });
    expect(named(spans, 'POST /v1/human/tool').attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/human/tool',
      'http.response.status_code': 200,
      'vcp.request.id': result.execution['requestId'],
    });
    expect(
      JSON.stringify(spans.map(({ attributes, events, status }) => ({ attributes, events, status }))),
    ).not.toContain('hunter22');
  });

  it('say which of them failed, and how, without what was printed', async () => {
    const { spans } = await call(() => {
      throw new TransportError('TRANSPORT_FAILURE', 'it printed a secret', { stderr: 'a secret' });
    });
    const failed = ['vcp.transport', 'execute_tool Sample'].map((name) => named(spans, name));
    for (const span of failed) {
      expect([span.status, span.attributes['error.type']]).toEqual([
        { code: SpanStatusCode.ERROR },
        'TRANSPORT_FAILURE',
      ]);
      expect(span.events).toEqual([]);
    }
    // The request itself was answered as it should be.
    expect(named(spans, 'POST /v1/human/tool').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('are named by the log lines', async () => {
    const { spans, logged } = await call();
    const ids = (name: string) => ({ traceId: TRACE, spanId: named(spans, name).spanContext().spanId });
    expect(logged.map(({ event, fields }) => [event, fields])).toEqual([
      ['call.finished', expect.objectContaining(ids('execute_tool Sample'))],
      ['http.request', expect.objectContaining(ids('POST /v1/human/tool'))],
    ]);
  });
});

describe('spans without a request', () => {
  it('belong to the trace that the caller hands over', async () => {
    const { exporter, telemetry } = traced();
    const { runtime } = createMemoryRuntime({ telemetry });
    const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE, spanId: PARENT, traceFlags: 1 });
    await runtime.execute({
      toolName: 'Sample',
      arguments: {},
      context: { source: 'cli', owner: 'alice', trace: parent },
    });
    expect(named(exporter.getFinishedSpans(), 'execute_tool Sample').parentSpanContext?.spanId).toBe(PARENT);
  });

  it('name no tool that nobody registered', async () => {
    const { exporter, telemetry } = traced();
    await callSample(createMemoryRuntime({ telemetry }), {}, { toolName: 'Invented' });
    expect(treeOf(exporter.getFinishedSpans())).toEqual([
      '- > execute_tool (unknown)',
      'execute_tool (unknown) > vcp.store',
    ]);
  });

  it('leave no trace in the log where there is no SDK', async () => {
    const parts = createMemoryRuntime();
    await callSample(parts);
    expect(Object.keys(parts.logged[0]?.fields ?? {})).not.toContain('traceId');
  });
});
