import { context as contextApi, SpanStatusCode, type Context, type Span } from '@opentelemetry/api';
import { describeFault } from '../lib/describe-fault.ts';
import { jsonTextOf } from '../lib/json-text.ts';
import { utf8Size } from '../lib/utf8-size.ts';
import { boundLogger, type Logger } from '../ports/logger.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';
import { countedCode, createToolFigures, type CallStage } from './tool-figures.ts';
import type { Telemetry } from './telemetry.ts';
import { isTraced, traceIdsOf, within } from './trace-context.ts';

/** Watches one call: its log lines, its figures and its spans. Nothing that it does can fail the call. */
export type CallObservation = {
  /** Every line carries the ids of the call (§18.2), and its trace where there is one. */
  readonly logger: Logger;
  /** Times one stage of the call; what the work starts belongs to the stage's span. */
  stage<T>(name: CallStage, work: () => Promise<T>): Promise<T>;
  /** The arguments have been found to be JSON. */
  accepted(args: JsonObject): void;
  tookBase64(resources: number): void;
  ended(result: CanonicalToolResult): void;
};

export type ObservedCall = {
  readonly toolName: string;
  readonly plugin: PluginDefinition | null;
  readonly invocationId: string;
  readonly requestId: string;
  /** The trace that the call belongs to; without it, whatever is active. */
  readonly trace: Context | undefined;
};

/** Longest name of an unknown tool that a log line repeats. */
const LOGGED_NAME = 256;

export const createCallObserver = (
  { metrics, tracer, clock }: Telemetry,
  logger: Logger,
): { begin(call: ObservedCall): CallObservation } => {
  const figures = createToolFigures(metrics);

  const begin = (call: ObservedCall): CallObservation => {
    const { plugin, invocationId, requestId } = call;
    const started = clock.monotonic();
    const tool = figures.of(plugin?.manifest.name ?? null);
    const parent = call.trace ?? contextApi.active();
    const span = tracer.startSpan(
      `execute_tool ${tool.name}`,
      {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool.name,
          'gen_ai.tool.type': 'extension',
          'gen_ai.tool.call.id': invocationId,
          'vcp.invocation.id': invocationId,
          'vcp.request.id': requestId,
        },
      },
      parent,
    );
    const inCall = within(parent, span);

    const inSpan = async <T>(name: CallStage, work: () => Promise<T>): Promise<T> => {
      const part = tracer.startSpan(`vcp.${name}`, {}, inCall);
      try {
        return await contextApi.with(within(inCall, part), work);
      } catch (error) {
        // A code and no message: what a plugin printed may be quoted in it.
        fail(part, codeOf(error));
        throw error;
      } finally {
        part.end();
      }
    };

    const stage = async <T>(name: CallStage, work: () => Promise<T>): Promise<T> => {
      const begun = clock.monotonic();
      try {
        return await (isTraced(span) ? inSpan(name, work) : work());
      } finally {
        tool.stage(name).observe((clock.monotonic() - begun) / 1_000);
      }
    };

    const count = (result: CanonicalToolResult) => {
      tool.callSeconds().observe((clock.monotonic() - started) / 1_000);
      tool.calls(result.status).add();
      if (result.error !== null) tool.errors(result.error.category, countedCode(result, plugin)).add();
      if (result.execution.recordId === null) tool.notStored().add();
      if (result.resources.length > 0) {
        tool.resourceBytes().add(result.resources.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0));
      }
      tool.outputBytes().add(utf8Size(jsonTextOf(result)));
    };

    const log = boundLogger(logger, {
      invocationId,
      requestId,
      toolName: call.toolName.slice(0, LOGGED_NAME).toWellFormed(),
      ...traceIdsOf(span),
    });

    return {
      logger: log,
      stage,
      accepted: (args) => tool.inputBytes().add(utf8Size(JSON.stringify(args))),
      tookBase64: (resources) => {
        if (resources > 0) tool.base64Resources().add(resources);
      },
      ended: (result) => {
        try {
          count(result);
        } catch (error) {
          // A result that is too large for a text has no size; its call has ended all the same.
          log.error('call.not-counted', { resultId: result.id, fault: describeFault(error) });
        }
        if (isTraced(span)) describe(span, result);
        span.end();
      },
    };
  };

  return { begin };
};

const describe = (span: Span, result: CanonicalToolResult): void => {
  span.setAttributes({
    'vcp.result.id': result.id,
    'vcp.status': result.status,
    ...(result.execution.recordId === null ? {} : { 'vcp.record.id': result.execution.recordId }),
    ...(result.task === null ? {} : { 'vcp.task.id': result.task.id }),
    ...(result.tool.command === null ? {} : { 'vcp.tool.command': result.tool.command }),
  });
  if (result.error !== null) fail(span, result.error.code);
};

const fail = (span: Span, code: string): void => {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

const codeOf = (error: unknown): string => {
  const { code, reason, name } = error as { code?: unknown; reason?: unknown; name?: unknown };
  for (const known of [code, reason, name]) if (typeof known === 'string') return known;
  return 'unknown';
};
