import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { EventId } from '../../protocol/ids.ts';
import type { EventHub } from '../../events/event-hub.ts';
import { ClientType, EventFilter } from '../../protocol/push.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { servedOnlyIf } from '../middleware/not-served-here.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import type { PushClients } from '../push/push-clients.ts';
import { openEventStream } from '../push/event-stream.ts';
import { originFault } from '../push/origin-fault.ts';
import { openSocketSession, type SessionStart } from '../push/socket-session.ts';
import type { Tickets } from '../push/tickets.ts';

const listOf = (list: z.ZodType<string[], string[]>, description: string) =>
  z
    .string()
    .max(4_096)
    .transform((text) => text.split(','))
    .pipe(list)
    .optional()
    .meta({ description });

export const EventsQuery = z.strictObject({
  clientType: ClientType.optional().meta({
    description: 'What kind of client this is: it also gets the events that are meant for this kind alone.',
  }),
  types: listOf(EventFilter.shape.types.unwrap(), 'Only events of these types, separated by commas.'),
  tools: listOf(EventFilter.shape.tools.unwrap(), 'Only events about these tools, separated by commas.'),
  invocations: listOf(EventFilter.shape.invocations.unwrap(), 'Only events of these calls, separated by commas.'),
  tasks: listOf(EventFilter.shape.tasks.unwrap(), 'Only events of these tasks, separated by commas.'),
  lastEventId: EventId.optional().meta({ description: 'Begin after this event; with the next one by default.' }),
  ticket: z.string().max(256).optional().meta({ description: 'From `POST /v1/tickets`, in place of a key.' }),
});

type EventDependencies = Pick<
  AppDependencies,
  'hub' | 'push' | 'upgradeSocket' | 'clock' | 'limits' | 'corsOrigins' | 'connections' | 'isReady'
> & { readonly tickets: Tickets };

/** `/v1/ws` and `/v1/events` push the same events; `/v1/tickets` opens them to pages in a browser. */
export const eventRoutes = (dependencies: EventDependencies) => {
  const { upgradeSocket, clock, limits, connections, tickets } = dependencies;
  const isServed = dependencies.hub !== undefined && dependencies.push !== undefined;
  // Without them, no request comes this far.
  const hub = dependencies.hub as EventHub;
  const clients = dependencies.push as PushClients;

  /** Why this client is not taken, before it is counted. */
  const refusalOf = (c: Context<AppEnvironment>): Response | null => {
    const origin = originFault(c, dependencies);
    if (origin !== null) return problem(c, { status: 403, code: 'ORIGIN_NOT_ALLOWED', detail: origin });
    const full = dependencies.isReady() ? clients.refusal(c.get('identity')) : 'the server is shutting down';
    if (full === null) return null;
    return problem(c, { status: 503, code: 'NOT_TAKEN', detail: full, headers: { 'retry-after': '5' } });
  };

  const startOf = (c: Context<AppEnvironment>, query: z.infer<typeof EventsQuery>): SessionStart => {
    const { clientType = null, lastEventId, ticket: _, ...filter } = query;
    return {
      identity: c.get('identity'),
      credential: c.get('credential'),
      clientType,
      filter: filter as EventFilter,
      lastEventId,
    };
  };

  return new Hono<AppEnvironment>()
    .use('/v1/ws', servedOnlyIf(isServed, 'pushed events'))
    .use('/v1/events', servedOnlyIf(isServed, 'pushed events'))
    .use('/v1/tickets', servedOnlyIf(isServed, 'pushed events'))
    .get('/v1/ws', validated('query', EventsQuery), async (c) => {
      if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
        const detail = 'this is the address of a WebSocket; for events over plain HTTP there is /v1/events';
        return problem(c, { status: 426, code: 'UPGRADE_REQUIRED', detail, headers: { upgrade: 'websocket' } });
      }
      if (upgradeSocket === undefined) {
        const detail = 'this server has no WebSockets; /v1/events has the same events';
        return problem(c, { status: 501, code: 'NO_WEBSOCKETS', detail });
      }
      const refused = refusalOf(c);
      if (refused !== null) return refused;
      const start = startOf(c, c.req.valid('query'));
      return await upgradeSocket(c, (socket) => openSocketSession(socket, start, { hub, clients, clock, limits }));
    })
    .get('/v1/events', validated('query', EventsQuery), (c) => {
      const refused = refusalOf(c);
      if (refused !== null) return refused;
      const header = c.req.header('last-event-id');
      if (header !== undefined && !EventId.safeParse(header).success) {
        const detail = 'Last-Event-ID must be the id of an event: evt_ and a ULID';
        return problem(c, { status: 400, code: 'INVALID_REQUEST', detail });
      }
      const query = c.req.valid('query');
      const start = startOf(c, { ...query, lastEventId: header ?? query.lastEventId });
      const headers = {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // Proxies that gather an answer before they pass it on would pass on nothing.
        'x-accel-buffering': 'no',
      };
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const { cut } = connections;
      const cutOff = cut === undefined ? null : () => cut(c.env);
      return c.body(openEventStream(start, { hub, clients, limits }, cutOff), 200, headers);
    })
    .post('/v1/tickets', (c) => {
      const ticket = tickets.issue(c.get('credential'));
      if (ticket !== null) return c.json(ticket, 201, { 'cache-control': 'no-store' });
      const detail = 'too many tickets are out that nobody has used; they expire within a minute';
      return problem(c, { status: 503, code: 'NOT_TAKEN', detail, headers: { 'retry-after': '10' } });
    });
};
