import type { Context } from 'hono';
import type { EventHub } from '../../events/event-hub.ts';
import type { Identity } from '../../ports/authenticator.ts';
import type { AppDependencies } from '../app-environment.ts';
import { problem } from '../problem.ts';
import type { EventPush } from './event-push.ts';
import { openEventStream } from './event-stream.ts';
import type { PushClients } from './push-clients.ts';
import { openSocketSession } from './socket-session.ts';
import { createTickets } from './tickets.ts';

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
  const refusalOf = (c: Context, identity: Identity): Response | null => {
    const full = isReady() ? clients.refusal(identity) : 'the server is shutting down';
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
        refusalOf(c, start.identity) ??
        (await upgradeSocket(c, (socket) => openSocketSession(socket, start, { hub, clients, clock, limits })))
      );
    },
    openStream: async (c, start) => {
      const refused = refusalOf(c, start.identity);
      if (refused !== null) return refused;
      if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS);
      const { cut } = connections;
      const cutOff = cut === undefined ? null : () => cut(c.env);
      return c.body(openEventStream(start, { hub, clients, limits }, cutOff), 200, EVENT_STREAM_HEADERS);
    },
  };
};

/** There are too many connections, for now. */
export const notTaken = (c: Context, detail: string): Response =>
  problem(c, { status: 503, code: 'NOT_TAKEN', detail, headers: { 'retry-after': '5' } });
