import type { ProgressEvent } from '../protocol/progress-event.ts';
import { eventData, readEventStream } from './read-event-stream.ts';

/** How a call's stream ended: with its answer, or with a problem. */
export type CallStreamEnd = { readonly event: 'result' | 'problem'; readonly data: unknown };

/**
 * Reads the event stream of a call to its end and hands on the progress that it tells of; null when it breaks off
 * before its last event. Events of kinds that are not known are skipped, as they may come from a newer server.
 */
export const readCallStream = async (
  body: ReadableStream<Uint8Array>,
  onProgress: (event: ProgressEvent) => void,
  signal?: AbortSignal,
): Promise<CallStreamEnd | null> => {
  for await (const message of readEventStream(body, signal)) {
    const data = eventData(message);
    if (data === undefined) return null;
    const { event } = message;
    if (event === 'vcp_info') onProgress(data as ProgressEvent);
    if (event === 'result' || event === 'problem') return { event, data };
  }
  return null;
};
