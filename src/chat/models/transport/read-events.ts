import { createParser } from 'eventsource-parser';
import { formatBytes } from '../../../lib/bytes.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';
import { wentQuiet } from './within-idle.ts';

/** A message of an event stream, not read yet. */
export type RawEvent = {
  /** Null where it has none. */
  readonly name: string | null;
  readonly data: string;
  /** Whether the stream ended before the empty line that ends a message: some servers leave it out, or it was cut off. */
  readonly isUnfinished: boolean;
};

export type ReadEventsOptions = {
  /** Milliseconds without a whole event or comment after which the stream counts as dead. */
  readonly idleMs: number;
  /** Characters of one event. */
  readonly eventBytes: number;
  /** Bytes of the whole stream. */
  readonly streamBytes: number;
  readonly signal: AbortSignal;
};

/**
 * The messages of an event stream as they come. Bytes alone are no sign of life: a line that never ends is as dead as
 * silence. The time that the reader of the messages takes does not count.
 */
export async function* readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: Uint8Array,
  { idleMs, eventBytes, streamBytes, signal }: ReadEventsOptions,
): AsyncGenerator<RawEvent, void, undefined> {
  let events: RawEvent[] = [];
  let hasLived = false;
  let isTooLarge = false;
  let isAtEnd = false;
  const parser = createParser({
    maxBufferSize: eventBytes,
    onEvent: ({ event, data }) => {
      hasLived = true;
      events.push({ name: event ?? null, data, isUnfinished: isAtEnd });
    },
    onComment: () => {
      hasLived = true;
    },
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  let size = 0;
  const feed = (bytes: Uint8Array): void => {
    size += bytes.byteLength;
    if (size > streamBytes) throw tooLarge(`the upstream's stream is larger than ${formatBytes(streamBytes)}`);
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (isTooLarge) throw tooLarge(`an event of the upstream's stream is larger than ${formatBytes(eventBytes)}`);
  };
  /** Ends the read that is waited for. One listener for the whole stream: for every event it would cost more than that. */
  let giveUp: (reason: unknown) => void = () => undefined;
  const onAbort = () => giveUp(signal.reason);
  const read = (): Promise<ReadableStreamReadResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      if (signal.aborted) onAbort();
      reader.read().then(resolve, reject);
    });
  const goIdle = () => giveUp(wentQuiet(idleMs));
  signal.addEventListener('abort', onAbort);
  try {
    feed(first);
    while (!isAtEnd) {
      const ready = events;
      events = [];
      yield* ready;

      let timer = setTimeout(goIdle, idleMs);
      try {
        while (events.length === 0 && !isAtEnd) {
          const { done, value } = await read();
          if (done) {
            isAtEnd = true;
            parser.feed(`${decoder.decode()}\n\n`);
            break;
          }
          hasLived = false;
          feed(value);
          if (!hasLived) continue;
          clearTimeout(timer);
          timer = setTimeout(goIdle, idleMs);
        }
      } finally {
        clearTimeout(timer);
      }
    }
    yield* events;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const tooLarge = (message: string): UpstreamError => new UpstreamError({ code: 'UPSTREAM_TOO_LARGE', message });
