import { raceWithSignal } from '../../../lib/deadline.ts';
import { formatBytes } from '../../../lib/bytes.ts';
import type { Limits } from '../../../lib/limits.ts';
import type { Clock } from '../../../ports/clock.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { readAnswer } from './read-answer.ts';
import { connectionFault } from './connection-fault.ts';
import { readBounded } from './read-bounded.ts';
import { readEvents, type RawEvent } from './read-events.ts';
import { refusedAnswer } from './refused-answer.ts';
import { sniffBody } from './sniff-body.ts';
import { withinIdle } from './within-idle.ts';

/** The part of `fetch` that an upstream is asked with. */
export type UpstreamFetch = (url: string, init: RequestInit) => Promise<Response>;

export type ConnectionOptions = {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The vendor's headers, the key among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Never shown. */
  readonly key: string | null;
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  readonly limits: Limits;
};

/** What a stream brings: its messages, the mark that it is complete, or the whole answer from servers that do not stream. */
export type StreamMessage =
  | { readonly type: 'message'; readonly body: JsonObject }
  | { readonly type: 'done' }
  | { readonly type: 'whole'; readonly body: JsonObject };

/** How an upstream is asked, whatever it speaks. It fails with `UpstreamError`s, or with the reason of the signal. */
export type UpstreamConnection = {
  /** POSTs the body, or GETs without one, and gives the JSON object that is answered. */
  json(path: string, body: JsonObject | null, signal: AbortSignal): Promise<JsonObject>;
  /** POSTs the body. `done` is told after the message that `isLast` knows; leaving the stream early ends the request. */
  stream(
    path: string,
    body: JsonObject,
    signal: AbortSignal,
    isLast: (body: JsonObject) => boolean,
  ): AsyncGenerator<StreamMessage, void, undefined>;
};

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 64 * 1024;
/** Milliseconds for which the end of a complete stream is awaited, so that its connection can serve the next request. */
const END_MS = 250;
/** What OpenAI's streams say at their end. */
const DONE = '[DONE]';

export const createConnection = (options: ConnectionOptions): UpstreamConnection => {
  const { baseUrl, headers, key, fetch, clock, limits } = options;
  const objectOf = (text: string, what: string) => readAnswer(text, what, key, limits);

  const send = (path: string, body: JsonObject | null, accept: string, signal: AbortSignal): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { ...headers, accept, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      // A redirect would carry the key, and what people wrote, to wherever it leads.
      redirect: 'manual',
      signal,
    });

  const accepted = async (response: Response, signal: AbortSignal): Promise<Response> => {
    if (response.ok) return response;
    const text = await readBounded(response.body, ERROR_BYTES, signal).catch(() => '');
    throw refusedAnswer(response, text, { key, nowMs: clock.now(), bounds: limits });
  };

  return {
    json: async (path, body, signal) => {
      const request = openRequest(signal);
      try {
        const response = await raceWithSignal(send(path, body, 'application/json', request.signal), request.signal);
        request.hasAnswer = true;
        await accepted(response, request.signal);
        return objectOf(await readBounded(response.body, limits.upstreamAnswerBytes, request.signal), 'the answer');
      } catch (error) {
        throw request.faultOf(error);
      } finally {
        request.end();
      }
    },

    stream: async function* (path, body, signal, isLast) {
      const request = openRequest(signal);
      const idleMs = limits.upstreamIdleMs;
      let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
      try {
        const response = await withinIdle(
          send(path, body, 'text/event-stream', request.signal),
          idleMs,
          request.signal,
        );
        request.hasAnswer = true;
        await accepted(response, request.signal);
        if (response.body === null) return;
        const opened = response.body.getReader();
        reader = opened;
        const read = async () => (await withinIdle(opened.read(), idleMs, request.signal)).value;
        const { kind, first } = await sniffBody(read);
        if (kind !== 'events') {
          const text = kind === 'json' ? await readRest(first, read, limits.upstreamAnswerBytes) : '<';
          yield { type: 'whole', body: objectOf(text, 'the answer') };
          return;
        }
        const events = readEvents(opened, first, {
          idleMs,
          eventBytes: limits.upstreamEventBytes,
          streamBytes: limits.upstreamStreamBytes,
          signal: request.signal,
        });
        for await (const event of events) {
          const message = messageOf(event, objectOf, isLast);
          if (message === null) continue;
          yield* message;
          if (message.at(-1)?.type !== 'done') continue;
          await withinIdle(toEnd(opened), END_MS, request.signal).catch(() => undefined);
          return;
        }
      } catch (error) {
        throw request.faultOf(error);
      } finally {
        reader?.cancel().catch(() => undefined);
        request.end();
      }
    },
  };
};

/** Made once: an abort without a reason makes an exception with its stack each time. */
const ENDED = new Error('the request has ended');

type OpenRequest = {
  readonly signal: AbortSignal;
  /** Whether the upstream has begun to answer. */
  hasAnswer: boolean;
  faultOf(error: unknown): unknown;
  end(): void;
};

/** A request whose connection ends with it, however it ends, and at the latest when the caller's signal aborts. */
const openRequest = (caller: AbortSignal): OpenRequest => {
  const own = new AbortController();
  const request: OpenRequest = {
    signal: AbortSignal.any([caller, own.signal]),
    hasAnswer: false,
    faultOf: (error) => {
      if (caller.aborted) return caller.reason as unknown;
      return error instanceof UpstreamError ? error : connectionFault(error, request.hasAnswer);
    },
    end: () => own.abort(ENDED),
  };
  return request;
};

/** What one event says; null when it says nothing. */
const messageOf = (
  { data, isUnfinished }: RawEvent,
  objectOf: (text: string, what: string) => JsonObject,
  isLast: (body: JsonObject) => boolean,
): readonly StreamMessage[] | null => {
  const text = data.trim();
  if (text === '') return null;
  if (text === DONE) return [{ type: 'done' }];
  let body: JsonObject;
  try {
    body = objectOf(text, 'an event');
  } catch (error) {
    // Half a text at the end is a stream that was cut off, which its reader notices by what is missing.
    if (isUnfinished && error instanceof UpstreamError && error.code === 'UPSTREAM_INVALID_ANSWER') return null;
    throw error;
  }
  const message: StreamMessage = { type: 'message', body };
  return isLast(body) ? [message, { type: 'done' }] : [message];
};

const readRest = async (
  first: Uint8Array,
  read: () => Promise<Uint8Array | undefined>,
  maxBytes: number,
): Promise<string> => {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for (let bytes: Uint8Array | undefined = first; bytes !== undefined; bytes = await read()) {
    size += bytes.byteLength;
    if (size > maxBytes)
      throw new UpstreamError({
        code: 'UPSTREAM_TOO_LARGE',
        message: `the upstream's answer is larger than ${formatBytes(maxBytes)}`,
      });
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
};

const toEnd = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  while (!(await reader.read()).done);
};
