import type { EventHub, EventReceiver, Subscription } from '../../events/event-hub.ts';
import { issuesOf, type Issue } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { createRateLimiter } from '../../lib/rate-limiter.ts';
import type { Identity } from '../../ports/authenticator.ts';
import type { Clock } from '../../ports/clock.ts';
import { PushRequest, type EventFilter, type PushNotice } from '../../protocol/push.ts';
import type { Credential } from '../credential.ts';
import { CLOSE, viewerOf, type DropReason, type PushClient, type PushClients } from './push-clients.ts';
import type { PushSocket, SocketListener } from './push-socket.ts';

export type SessionStart = {
  readonly identity: Identity;
  readonly credential: Credential;
  readonly clientType: string | null;
  readonly filter: EventFilter;
  readonly lastEventId: string | undefined;
};

/** What a session goes on from where the runtime lets its memory go and keeps the connection; null: no subscription. */
export type SessionState = { readonly clientType: string | null; readonly filter: EventFilter | null };

export type SessionDependencies = {
  readonly hub: EventHub;
  readonly clients: PushClients;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Told of each change of what the client wants, from the first on. */
  readonly onState?: (state: SessionState) => void;
};

/** A subscribe message is small and flat. */
const MESSAGE_BOUNDS = { jsonDepth: 4, jsonNodes: 512 };

const encoder = new TextEncoder();

/**
 * One client on `/v1/ws`: it is subscribed from its first moment on, and may say otherwise. With `earlier`, the connection
 * is one that was there before: it goes on with the next event, and is told nothing.
 */
export const openSocketSession = (
  socket: PushSocket,
  start: SessionStart,
  { hub, clients, clock, limits, onState }: SessionDependencies,
  earlier: SessionState | null = null,
): SocketListener => {
  const messages = createRateLimiter(1);
  let { identity, clientType } = start;
  let subscription: Subscription | null = null;
  let faults = 0;
  let isAlive = true;
  let isClosing = false;

  /** What the socket was given and has not sent. */
  let waiting = 0;
  let waitingBytes = 0;
  let isHeldUp = false;
  const hasRoom = (share = 1): boolean =>
    waiting < limits.pushQueueEvents * share && waitingBytes < limits.pushQueueBytes * share;

  const send = (text: Uint8Array) => {
    waiting += 1;
    waitingBytes += text.byteLength;
    socket.send(text, () => {
      waiting -= 1;
      waitingBytes -= text.byteLength;
      if (!isHeldUp || !hasRoom(0.5)) return;
      isHeldUp = false;
      subscription?.resume();
    });
  };
  const say = (notice: PushNotice) => send(encoder.encode(JSON.stringify(notice)));

  const close = (code: number, reason: string) => {
    isClosing = true;
    subscription?.end();
    socket.close(code, reason);
  };
  const drop = (reason: DropReason, code: number, words: string) => {
    clients.dropped(client, reason);
    close(code, words);
  };

  const receiver: EventReceiver = {
    isReady: () => {
      isHeldUp = !hasRoom();
      return !isHeldUp;
    },
    take: (frame) => {
      send(frame.json());
      clients.delivered('ws');
    },
    gap: say,
    overtaken: () => drop('slow', CLOSE.tryAgainLater, 'too slow: events were lost; connect again with lastEventId'),
  };

  const subscribe = (filter: EventFilter, lastEventId: string | undefined, ref: string | null) => {
    subscription?.end();
    subscription = hub.subscribe(
      {
        viewer: viewerOf(identity, clientType),
        filter,
        lastEventId,
        onStart: (from) => say({ type: 'subscribed', ref, clientType, lastEventId: from }),
      },
      receiver,
    );
    onState?.({ clientType, filter });
  };
  const goOn = ({ filter }: SessionState) => {
    if (filter !== null) subscription = hub.subscribe({ viewer: viewerOf(identity, clientType), filter }, receiver);
  };

  const position = () => subscription?.position() ?? hub.lastEventId();

  const refuse = (code: string, message: string, issues: readonly Issue[] = [], ref: string | null = null) => {
    faults += 1;
    const errors = issues.map(({ pointer, message: detail }) => ({ pointer, detail }));
    say({ type: 'error', ref, code, message, errors });
    if (faults >= limits.pushFaults) drop('refused', CLOSE.policy, 'too many bad messages');
  };

  const answer = (request: PushRequest) => {
    const { ref = null } = request;
    switch (request.type) {
      case 'subscribe': {
        const { type: _, ref: __, clientType: wanted, lastEventId, ...filter } = request;
        clientType = wanted ?? clientType;
        return subscribe(filter, lastEventId, ref);
      }
      case 'unsubscribe':
        subscription?.end();
        subscription = null;
        onState?.({ clientType, filter: null });
        return say({ type: 'unsubscribed', ref });
      case 'ping':
        return say({ type: 'pong', ref, time: new Date(clock.now()).toISOString(), lastEventId: position() });
    }
  };

  const client: PushClient = {
    transport: 'ws',
    credential: start.credential,
    setIdentity: (next) => {
      identity = next;
      subscription?.setViewer(viewerOf(identity, clientType));
    },
    beat: () => {
      if (!isAlive) {
        clients.dropped(client, 'silent');
        socket.terminate();
        return;
      }
      if (socket.ping !== undefined) {
        isAlive = false;
        socket.ping();
      }
      if (hasRoom()) say({ type: 'heartbeat', lastEventId: position() });
    },
    close,
    terminate: socket.terminate,
  };
  const remove = clients.add(client, identity);
  // The server may have begun to stop while the two sides shook hands.
  if (clients.isClosed()) close(CLOSE.goingAway, 'the server is shutting down');
  else if (earlier !== null) goOn(earlier);
  else subscribe(start.filter, start.lastEventId, null);

  return {
    message: (text) => {
      if (isClosing) return;
      isAlive = true;
      const rate = { requests: limits.pushMessagesPerMinute, windowSeconds: 60 };
      const { isAllowed, untilNextMs } = messages.take('', rate, Math.floor(clock.monotonic()));
      if (!isAllowed) return refuse('RATE_LIMITED', `wait ${Math.ceil(untilNextMs / 1_000)} s before the next message`);
      if (text === null) return refuse('INVALID_REQUEST', 'messages are JSON as text, not binary');
      const parsed = parseJson(text, MESSAGE_BOUNDS);
      if (!parsed.ok) return refuse('INVALID_REQUEST', `the message ${parsed.issue.message}`, [parsed.issue]);
      const request = PushRequest.safeParse(parsed.value);
      if (request.success) return answer(request.data);
      const issues = issuesOf(request.error);
      const words = issues.map(({ pointer, message }) => `${pointer || '(root)'} ${message}`).join('; ');
      return refuse('INVALID_REQUEST', `the message is not valid: ${words}`, issues, refOf(parsed.value));
    },
    pong: () => {
      isAlive = true;
    },
    closed: () => {
      isClosing = true;
      subscription?.end();
      remove();
    },
  };
};

const MOST_REF = 64;

/** What a message that is not valid calls itself. */
const refOf = (message: unknown): string | null => {
  const ref = (message as { readonly ref?: unknown } | null)?.ref;
  return typeof ref === 'string' && ref.length <= MOST_REF ? ref : null;
};
