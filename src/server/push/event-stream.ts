import type { EventHub, Subscription } from '../../events/event-hub.ts';
import type { Limits } from '../../lib/limits.ts';
import type { GapNotice, PushNotice } from '../../protocol/push.ts';
import { viewerOf, type PushClient, type PushClients } from './push-clients.ts';
import type { SessionStart } from './socket-session.ts';

export type StreamDependencies = {
  readonly hub: EventHub;
  readonly clients: PushClients;
  readonly limits: Pick<Limits, 'pushQueueEvents' | 'pushQueueBytes'>;
};

/** Milliseconds after which a client that lost its connection should come back. */
const RETRY_MS = 2_000;

const encoder = new TextEncoder();

/**
 * The events of one client on `/v1/events` as the body of an answer. `cutOff` cuts the connection under it: a client that
 * takes nothing does not take the end of its stream either.
 */
export const openEventStream = (
  { identity, credential, clientType, filter, lastEventId }: SessionStart,
  { hub, clients, limits }: StreamDependencies,
  cutOff: (() => void) | null,
): ReadableStream<Uint8Array> => {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let isHeldUp = false;
  let hasEnded = false;
  let wake: (() => void) | null = null;
  let output: ReadableStreamDefaultController<Uint8Array>;
  let subscription: Subscription | null = null;

  const hasRoom = () => queue.length < limits.pushQueueEvents && queuedBytes < limits.pushQueueBytes;
  const put = (bytes: Uint8Array) => {
    queue.push(bytes);
    queuedBytes += bytes.byteLength;
    wake?.();
  };
  const tell = (text: string) => put(encoder.encode(text));
  const notice = (value: PushNotice, id?: string) =>
    tell(`${id === undefined ? '' : `id: ${id}\n`}event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);

  const end = () => {
    if (hasEnded) return false;
    hasEnded = true;
    subscription?.end();
    remove();
    queue = [];
    wake?.();
    return true;
  };
  const cut = () => {
    if (!end()) return;
    if (cutOff === null) output.error(new Error('the client is too slow'));
    else cutOff();
  };

  const client: PushClient = {
    transport: 'sse',
    credential,
    setIdentity: (next) => subscription?.setViewer(viewerOf(next, clientType)),
    beat: () => {
      // Its id tells a client that has had no event for long where to go on.
      const id = subscription?.position() ?? hub.lastEventId();
      if (hasRoom()) notice({ type: 'heartbeat', lastEventId: id }, id);
    },
    close: () => {
      const last = queue;
      if (!end()) return;
      for (const bytes of last) output.enqueue(bytes);
      output.close();
    },
    terminate: cut,
  };
  const remove = clients.add(client, identity);

  const receiver = {
    isReady: () => {
      isHeldUp = !hasRoom();
      return !isHeldUp;
    },
    take: (frame: { stream(): Uint8Array }) => {
      put(frame.stream());
      clients.delivered('sse');
    },
    gap: (gap: GapNotice) => notice(gap),
    overtaken: () => {
      clients.dropped(client, 'slow');
      cut();
    },
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        output = controller;
        tell(`retry: ${RETRY_MS}\n\n`);
        const onStart = (from: string) =>
          notice({ type: 'subscribed', ref: null, clientType, lastEventId: from }, from);
        const viewer = viewerOf(identity, clientType);
        subscription = hub.subscribe({ viewer, filter, lastEventId, onStart }, receiver);
      },
      pull: async (controller) => {
        if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        wake = null;
        if (hasEnded) return;
        const all = joined(queue, queuedBytes);
        queue = [];
        queuedBytes = 0;
        controller.enqueue(all);
        if (isHeldUp) {
          isHeldUp = false;
          subscription?.resume();
        }
      },
      cancel: () => void end(),
    },
    { highWaterMark: 0 },
  );
};

/** One write for all that waits. */
const joined = (parts: readonly Uint8Array[], bytes: number): Uint8Array => {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
};
