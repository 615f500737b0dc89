import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';

/**
 * The events of a stream until it ends or breaks off: to whoever waits for a certain event both are the same. Leaving the
 * loop ends the request; an aborted signal raises its reason.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const text = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const events = text.pipeThrough(new EventSourceParserStream()).getReader();
  const stop = () => void events.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await events.read().catch(() => ENDED);
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

const ENDED = { done: true, value: undefined } as const;

/** The JSON of an event; undefined for what is none. */
export const eventData = ({ data }: EventSourceMessage): unknown => {
  const json = parseJson(data, DEFAULT_LIMITS);
  return json.ok ? json.value : undefined;
};
