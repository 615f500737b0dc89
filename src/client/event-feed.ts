import { EventSourceParserStream } from 'eventsource-parser/stream';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import { sleep } from '../lib/sleep.ts';
import type { VcpEvent, VcpEventType } from '../protocol/event.ts';
import type { GapNotice } from '../protocol/push.ts';

/** Which events: those that are in every list that is given. */
export type EventsOptions = {
  readonly types?: readonly VcpEventType[];
  readonly tools?: readonly string[];
  readonly invocations?: readonly string[];
  readonly tasks?: readonly string[];
  /** What kind of client this is; it also gets what is meant for this kind alone. */
  readonly clientType?: string;
  /** Begin after this event; with the next one by default. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal | undefined;
  /** Told when events are missing because the server does not keep them any more. */
  readonly onGap?: (gap: GapNotice) => void;
};

/** What a feed needs of its client. `open` raises what will not get better by asking again. */
export type FeedSource = {
  open(query: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Milliseconds to wait before the next try after this fault, or null when there is no use in one. */
  retryAfter(fault: unknown): number | null;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Events as they happen, until the signal aborts or the reader leaves the loop. A connection that breaks is opened again
 * where it broke off, so nothing is lost that the server still keeps. The first connection is tried once.
 */
export async function* eventFeed(
  source: FeedSource,
  options: EventsOptions,
): AsyncGenerator<VcpEvent, void, undefined> {
  const { types, tools, invocations, tasks, clientType, onGap } = options;
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([left.signal, options.signal]);
  let { lastEventId } = options;
  let wait = FIRST_WAIT_MS;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      const lists = { types, tools, invocations, tasks };
      const query = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list?.join(',')]));
      try {
        const body = await source.open({ ...query, clientType, lastEventId }, signal);
        isFirst = false;
        for await (const message of messagesOf(body, signal)) {
          wait = FIRST_WAIT_MS;
          lastEventId = message.position ?? lastEventId;
          if (message.gap !== undefined) onGap?.(message.gap);
          if (message.event !== undefined) yield message.event;
        }
      } catch (error) {
        if (signal.aborted) break;
        const advised = isFirst ? null : source.retryAfter(error);
        if (advised === null) throw error;
        wait = Math.max(wait, advised);
      }
      // Servers that come back are not met by all of their clients at once.
      await sleep(wait * (0.5 + Math.random() / 2), signal).catch(() => undefined);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
    // A reader that asked for the end has it; whoever gave the signal knows why.
    options.signal?.throwIfAborted();
  } finally {
    left.abort();
  }
}

/** What a stream says: how far it has come, and perhaps an event, or that some are missing. */
type Message = { readonly position?: string | undefined; readonly event?: VcpEvent; readonly gap?: GapNotice };

/** Ends when the connection does, whichever way. Kinds of events that are not known come from a newer server, and pass. */
async function* messagesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Message> {
  const text = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done || signal.aborted) return;
      const parsed = parseJson(value.data, DEFAULT_LIMITS);
      if (!parsed.ok) return;
      // A quiet stream has come as far as its last sign of life says.
      if (value.event === 'subscribed' || value.event === 'heartbeat') yield { position: value.id };
      else if (value.event === 'gap') yield { gap: parsed.value as GapNotice };
      else yield { position: value.id, event: parsed.value as VcpEvent };
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
