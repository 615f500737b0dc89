import { decodeTime } from 'ulid';
import { createEventHub, type EventHub } from '../../../src/events/event-hub.ts';
import type { Limits } from '../../../src/lib/limits.ts';
import { createUlidIds } from '../../../src/lib/ulid-ids.ts';
import type { Identities, Identity } from '../../../src/ports/authenticator.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import { noMetrics } from '../../../src/ports/metrics.ts';
import { redactEvent } from '../../../src/runtime/redact-event.ts';
import { EVENT_STREAM_HEADERS } from '../../../src/server/push/create-event-push.ts';
import { openEventStream } from '../../../src/server/push/event-stream.ts';
import { CLOSE, createPushClients } from '../../../src/server/push/push-clients.ts';
import type { PushSocket, SocketListener } from '../../../src/server/push/push-socket.ts';
import { openSocketSession, type SessionStart, type SessionState } from '../../../src/server/push/socket-session.ts';
import { createAlarmBeat } from './alarm-beat.ts';
import type { ObjectState, SleepingSocket } from './object-state.ts';
import { createSqliteEventArchive } from './sqlite-event-archive.ts';
import { createStoredSessions, type StoredSession } from './stored-sessions.ts';

/** A connection as a worker asks for it, when it has let its key in. */
export type WantedSession = StoredSession & { readonly lastEventId?: string | undefined };

/** All connections of a deployment, and the events that go to them. */
export type EventDesk = {
  readonly emit: EventHub['emit'];
  openSocket(wanted: WantedSession): Response;
  openStream(wanted: WantedSession): Response;
  message(socket: SleepingSocket, message: string | ArrayBuffer): void;
  /** The client has closed, or answered our closing. */
  left(socket: SleepingSocket): void;
  /** The connection has broken. */
  lost(socket: SleepingSocket): void;
  ring(): Promise<void>;
};

export type EventDeskDependencies = {
  readonly state: ObjectState;
  readonly identities: Identities;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  /** Makes the two ends of a WebSocket: the client's, and ours. */
  newSocketPair(): readonly [client: WebSocket, server: SleepingSocket];
};

/** RFC 6455 §7.4.1: nothing is wrong, and a message is larger than it may be. */
const NORMAL = 1000;
const TOO_BIG = 1009;
/** `WebSocket.OPEN`. */
const OPEN = 1;

/**
 * What a server's own process does with events and connections, for an object that sleeps whenever nothing happens: it
 * keeps events and what connections want in its SQLite, and takes both up again when it is woken.
 */
export const openEventDesk = (dependencies: EventDeskDependencies): EventDesk => {
  const { state, identities, clock, limits, logger, newSocketPair } = dependencies;
  const { sql } = state.storage;
  const archive = createSqliteEventArchive(sql, () => ids.next('event'));
  const lastId = archive.lastId();
  // The factory of ids forgets in its sleep; the clock may have gone back.
  const earliest = lastId === null ? 0 : decodeTime(lastId.slice(-26)) + 1;
  const ids = createUlidIds(() => Math.max(clock.now(), earliest));
  const redact: Parameters<typeof createEventHub>[0]['redact'] = (event, given) => redactEvent(event, [], given);
  const hub = createEventHub({ ids, clock, limits, redact, logger, archive });
  const beat = createAlarmBeat(state.storage, clock);
  const clients = createPushClients({ limits, metrics: noMetrics, logger, every: beat.every });
  const sessions = createStoredSessions(sql);
  const listeners = new Map<SleepingSocket, SocketListener>();

  const closed = (socket: SleepingSocket) => {
    listeners.get(socket)?.closed();
    listeners.delete(socket);
    sessions.remove(socket.deserializeAttachment() as number);
  };

  const close = (socket: SleepingSocket, code: number, reason: string) => {
    try {
      socket.close(code, reason);
    } catch {
      // It has closed by itself.
    }
    closed(socket);
  };

  const pushSocketOf = (socket: SleepingSocket): PushSocket => {
    const decoder = new TextDecoder();
    return {
      send: (text, onSent) => {
        // The platform holds what a slow client does not take, and tells nobody how much.
        if (socket.readyState === OPEN) socket.send(decoder.decode(text));
        onSent();
      },
      close: (code, reason) => close(socket, code, reason),
      terminate: () => close(socket, CLOSE.goingAway, ''),
    };
  };

  const startOf = (identity: Identity, { clientType, filter, lastEventId }: WantedSession): SessionStart => ({
    identity,
    credential: { key: identity.id, isTicket: false, ask: () => identities.identify(identity.id) },
    clientType,
    filter: filter ?? {},
    lastEventId,
  });

  const listen = (socket: SleepingSocket, id: number, start: SessionStart, earlier: SessionState | null) => {
    const onState = (now: SessionState) => sessions.set(id, { ...now, keyId: start.identity.id });
    const session = { hub, clients, clock, limits, onState };
    listeners.set(socket, openSocketSession(pushSocketOf(socket), start, session, earlier));
  };

  /** Connections that were there before the object slept. */
  const wake = () => {
    const found = state.getWebSockets();
    sessions.keepOnly(new Set(found.map((socket) => socket.deserializeAttachment() as number)));
    for (const socket of found) {
      const id = socket.deserializeAttachment() as number;
      const session = sessions.get(id);
      const identity = session === null ? null : identities.identify(session.keyId);
      if (session === null || identity === null || typeof identity === 'string')
        close(socket, CLOSE.keyGone, 'the key is not valid any more');
      else listen(socket, id, startOf(identity, session), session);
    }
  };
  wake();

  /** Whom the connection is for, or why it is not taken. */
  const admit = ({ keyId }: WantedSession): Identity | Response => {
    const identity = identities.identify(keyId);
    const full =
      identity === null || typeof identity === 'string' ? 'the key is not valid any more' : clients.refusal(identity);
    return full === null ? (identity as Identity) : new Response(full, { status: 503 });
  };

  return {
    emit: hub.emit,
    openSocket: (wanted) => {
      const identity = admit(wanted);
      if (identity instanceof Response) return identity;
      const [client, socket] = newSocketPair();
      const { keyId, clientType, filter } = wanted;
      const id = sessions.add({ keyId, clientType, filter });
      socket.serializeAttachment(id);
      state.acceptWebSocket(socket);
      listen(socket, id, startOf(identity, wanted), null);
      return new Response(null, { status: 101, webSocket: client } as ResponseInit);
    },
    openStream: (wanted) => {
      const identity = admit(wanted);
      if (identity instanceof Response) return identity;
      const stream = openEventStream(startOf(identity, wanted), { hub, clients, limits }, null);
      return new Response(stream as BodyInit, { headers: EVENT_STREAM_HEADERS });
    },
    message: (socket, message) => {
      const bytes = typeof message === 'string' ? message.length : message.byteLength;
      if (bytes > limits.pushMessageBytes)
        close(socket, TOO_BIG, `messages have ${limits.pushMessageBytes} bytes at most`);
      else listeners.get(socket)?.message(typeof message === 'string' ? message : null);
    },
    left: (socket) => close(socket, NORMAL, ''),
    lost: closed,
    ring: beat.ring,
  };
};
