import { context as contextApi, SpanStatusCode, type Context } from '@opentelemetry/api';
import { METRICS } from '../lib/metric-definitions.ts';
import { remembered } from '../lib/remembered.ts';
import type { Logger } from '../ports/logger.ts';
import type { ModelAnswer, ModelEvent, ModelUsage } from '../ports/language-model.ts';
import { UpstreamError } from '../ports/upstream-error.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { traceIdsOf, within } from '../runtime/trace-context.ts';
import type { EventSink } from '../ports/event-sink.ts';
import { Interrupted, ServerStopping } from './interrupted.ts';
import { createReplyTeller } from './tell-reply.ts';

/**
 * How a conversation ended: by the model's last answer, by a limit of this server, by whoever interrupted it, by its client's
 * leaving, with the server, by the upstream's failure, or by a fault of this server.
 */
export type ChatOutcome = 'finished' | 'stopped' | 'interrupted' | 'left' | 'shut-down' | 'upstream-failed' | 'fault';

/** Watches one conversation: its two log lines, its figures, its span, and the events that carry the reply. */
export type ChatObservation = {
  /** The trace that the conversation's calls belong to. */
  readonly trace: Context;
  /** The model is asked. */
  round(): void;
  /** The events as they are, watched to their end, which an interruption is too. */
  watch(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent>;
  /** An answer that comes whole, watched likewise. */
  watchWhole(work: Promise<ModelAnswer>): Promise<ModelAnswer>;
};

export type ObservedChat = {
  readonly requestId: string;
  readonly owner: string;
  readonly model: string;
  readonly toolUse: string;
  readonly trace: Context | undefined;
  readonly signal: AbortSignal;
};

/** Longest name of a model that a log line repeats. */
const LOGGED_NAME = 128;

export const createChatObserver = (
  { metrics, tracer, clock }: Telemetry,
  logger: Logger,
  events: EventSink,
): { begin(chat: ObservedChat): ChatObservation } => {
  const chats = remembered((outcome: ChatOutcome) => metrics.counter(METRICS.chats, { outcome }));
  const tokens = remembered((kind: 'prompt' | 'completion') => metrics.counter(METRICS.chatTokens, { kind }));
  const roundsOfChat = metrics.histogram(METRICS.chatRounds, {});
  const seconds = metrics.histogram(METRICS.chatSeconds, {});

  return {
    begin: ({ requestId, owner, toolUse, signal, ...chat }) => {
      const begun = clock.monotonic();
      const model = chat.model.slice(0, LOGGED_NAME).toWellFormed();
      const parent = chat.trace ?? contextApi.active();
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'vcp.request.id': requestId,
      };
      const span = tracer.startSpan(`chat ${model}`, { attributes }, parent);
      const ids = { requestId, ...traceIdsOf(span) };
      logger.info('chat.started', { ...ids, model, toolUse });
      const reply = createReplyTeller(events, { owner, requestId, model });
      let rounds = 0;
      let hasEnded = false;

      const ended = (outcome: ChatOutcome, errorCode: string | null, usage: ModelUsage | null): void => {
        if (hasEnded) return;
        hasEnded = true;
        reply.end();
        const durationMs = clock.monotonic() - begun;
        chats(outcome).add();
        roundsOfChat.observe(rounds);
        seconds.observe(durationMs / 1_000);
        const promptTokens = countOf(usage?.prompt_tokens);
        const completionTokens = countOf(usage?.completion_tokens);
        tokens('prompt').add(promptTokens);
        tokens('completion').add(completionTokens);
        if (errorCode !== null) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorCode);
        if (span.isRecording())
          span.setAttributes({
            'gen_ai.usage.input_tokens': promptTokens,
            'gen_ai.usage.output_tokens': completionTokens,
            'vcp.chat.rounds': rounds,
            'vcp.chat.outcome': outcome,
          });
        span.end();
        logger.info('chat.finished', {
          ...ids,
          outcome,
          ...(errorCode === null ? {} : { errorCode }),
          rounds,
          promptTokens,
          completionTokens,
          durationMs: Math.round(durationMs * 1_000) / 1_000,
        });
      };

      const failed = (error: unknown): void => {
        const { reason } = signal;
        if (reason instanceof Interrupted) ended('interrupted', null, null);
        else if (reason instanceof ServerStopping) ended('shut-down', null, null);
        else if (signal.aborted) ended('left', null, null);
        else if (error instanceof UpstreamError) ended('upstream-failed', error.code, null);
        else ended('fault', 'INTERNAL_ERROR', null);
      };

      return {
        trace: within(parent, span),
        round: () => {
          rounds += 1;
        },
        watch: async function* (said) {
          let outcome: ChatOutcome = 'finished';
          let usage: ModelUsage | null = null;
          try {
            for await (const event of said) {
              // Of several answers to one question the first one is told.
              if (event.type === 'text' && event.choice === 0) reply.add(event.text);
              else if (event.type === 'usage') ({ usage } = event);
              else if (event.type === 'extra' && event.chunkFields?.['vcp'] !== undefined) outcome = 'stopped';
              yield event;
            }
            ended(outcome, null, usage);
          } catch (error) {
            failed(error);
            if (!(signal.reason instanceof Interrupted)) throw error;
            // An answer that was interrupted ends where it is, as one that was stopped.
            yield { type: 'finish', choice: 0, reason: 'stop', native: 'interrupted' };
          } finally {
            // Reached without an end only when nobody wants the rest.
            ended('left', null, usage);
          }
        },
        watchWhole: async (work) => {
          try {
            const answer = await work;
            const { content } = answer.choices[0]?.message ?? {};
            if (typeof content === 'string') reply.add(content);
            ended('finished', null, answer.usage);
            return answer;
          } catch (error) {
            failed(error);
            throw error;
          }
        },
      };
    },
  };
};

/** What an upstream calls a number may be anything. */
const countOf = (tokens: unknown): number =>
  typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
