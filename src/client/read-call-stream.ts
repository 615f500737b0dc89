import { EventSourceParserStream } from 'eventsource-parser/stream';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { ApprovalSummary } from '../protocol/approval.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import type { TaskDescription } from '../protocol/task-listing.ts';

/** How a call's stream ended: with its answer, or with a problem. */
export type CallStreamEnd = { readonly event: 'result' | 'problem'; readonly data: unknown };

/** Who hears of what the stream tells before its end. */
export type CallStreamListeners = {
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  readonly onApproval?: ((approval: ApprovalSummary) => void) | undefined;
  readonly onTask?: ((task: TaskDescription) => void) | undefined;
};

/**
 * Reads the event stream of a call, or of a task, to its end and hands on the progress that it tells of; null when it breaks off
 * before its last event. Events of kinds that are not known are skipped, as they may come from a newer server.
 */
export const readCallStream = async (
  body: ReadableStream<Uint8Array>,
  { onProgress, onApproval, onTask }: CallStreamListeners,
  signal?: AbortSignal,
): Promise<CallStreamEnd | null> => {
  const text = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const events = text.pipeThrough(new EventSourceParserStream()).getReader();
  const stop = () => void events.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      signal?.throwIfAborted();
      // A connection that breaks off fails the read; to whoever waits for the result it is the same as an early end.
      const { done, value } = await events.read().catch(() => ENDED);
      signal?.throwIfAborted();
      if (done) return null;
      const data = parsed(value.data);
      if (data === undefined) return null;
      if (value.event === 'vcp_info') onProgress?.(data as ProgressEvent);
      if (value.event === 'task') onTask?.(data as TaskDescription);
      if (value.event === 'approval') onApproval?.(data as ApprovalSummary);
      if (value.event === 'result' || value.event === 'problem') return { event: value.event, data };
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
};

const ENDED = { done: true, value: undefined } as const;

const parsed = (text: string): unknown => {
  const json = parseJson(text, DEFAULT_LIMITS);
  return json.ok ? json.value : undefined;
};
