import type { Context } from 'hono';
import type { EventHub } from '../../events/event-hub.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';
import { openEventStream } from './event-stream.ts';
import type { PushClients } from './push-clients.ts';
import { openSocketSession, type SessionStart } from './socket-session.ts';
import { createTickets, type Tickets } from './tickets.ts';

/** Who holds the connections that events are pushed to: this process, or one that all the others send their events to. */
export type EventPush = {
  /** Answers a request for a WebSocket that may be had. */
  openSocket(c: Context<AppEnvironment>, start: SessionStart): Promise<Response>;
  /** Answers with a `text/event-stream`. */
  openStream(c: Context<AppEnvironment>, start: SessionStart): Promise<Response>;
  readonly tickets: Tickets;
};

export type EventPushHere = Pick<AppDependencies, 'upgradeSocket' | 'clock' | 'limits' | 'connections' | 'isReady'> & {
  readonly hub: EventHub;
  readonly push: PushClients;
};

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Proxies that gather an answer before they pass it on would pass on nothing.
  'x-accel-buffering': 'no',
} as const;

/** This process holds the connections. */
export const createEventPush = (dependencies: EventPushHere): EventPush => {
  const { hub, push: clients, upgradeSocket, clock, limits, connections, isReady } = dependencies;

  /** Why this client is not taken, before it is counted. */
  const refusalOf = (c: Context<AppEnvironment>): Response | null => {
    const full = isReady() ? clients.refusal(c.get('identity')) : 'the server is shutting down';
    return full === null ? null : notTaken(c, full);
  };

  return {
    tickets: createTickets(clock, limits),
    openSocket: async (c, start) => {
      if (upgradeSocket === undefined) {
        const detail = 'this server has no WebSockets; /v1/events has the same events';
        return problem(c, { status: 501, code: 'NO_WEBSOCKETS', detail });
      }
      return (
        refusalOf(c) ??
        (await upgradeSocket(c, (socket) => openSocketSession(socket, start, { hub, clients, clock, limits })))
      );
    },
    openStream: async (c, start) => {
      const refused = refusalOf(c);
      if (refused !== null) return refused;
      if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS);
      const { cut } = connections;
      const cutOff = cut === undefined ? null : () => cut(c.env);
      return c.body(openEventStream(start, { hub, clients, limits }, cutOff), 200, EVENT_STREAM_HEADERS);
    },
  };
};

/** There are too many connections, for now. */
export const notTaken = (c: Context<AppEnvironment>, detail: string): Response =>
  problem(c, { status: 503, code: 'NOT_TAKEN', detail, headers: { 'retry-after': '5' } });
