import type { Context } from 'hono';
import type { SessionStart } from './socket-session.ts';
import type { Tickets } from './tickets.ts';

/** Who holds the connections that events are pushed to: this process, or one that all the others send their events to. */
export type EventPush = {
  /** Answers a request for a WebSocket that may be had. */
  openSocket(c: Context, start: SessionStart): Promise<Response>;
  /** Answers with a `text/event-stream`. */
  openStream(c: Context, start: SessionStart): Promise<Response>;
  readonly tickets: Tickets;
};
