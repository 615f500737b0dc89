import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { EventId } from '../../protocol/ids.ts';
import { ClientType, EventFilter } from '../../protocol/push.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { servedOnlyIf } from '../middleware/not-served-here.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import type { EventPush } from '../push/event-push.ts';
import { originFault } from '../push/origin-fault.ts';
import type { SessionStart } from '../push/socket-session.ts';

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

type EventDependencies = Pick<AppDependencies, 'corsOrigins'> & { readonly eventPush: EventPush | null };

/** `/v1/ws` and `/v1/events` push the same events; `/v1/tickets` opens them to pages in a browser. */
export const eventRoutes = (dependencies: EventDependencies) => {
  const isServed = dependencies.eventPush !== null;
  // Without it, no request comes this far.
  const push = dependencies.eventPush as EventPush;

  const refusalOf = (c: Context<AppEnvironment>): Response | null => {
    const detail = originFault(c, dependencies);
    return detail === null ? null : problem(c, { status: 403, code: 'ORIGIN_NOT_ALLOWED', detail });
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
      return refusalOf(c) ?? (await push.openSocket(c, startOf(c, c.req.valid('query'))));
    })
    .get('/v1/events', validated('query', EventsQuery), async (c) => {
      const refused = refusalOf(c);
      if (refused !== null) return refused;
      const header = c.req.header('last-event-id');
      if (header !== undefined && !EventId.safeParse(header).success) {
        const detail = 'Last-Event-ID must be the id of an event: evt_ and a ULID';
        return problem(c, { status: 400, code: 'INVALID_REQUEST', detail });
      }
      const query = c.req.valid('query');
      return await push.openStream(c, startOf(c, { ...query, lastEventId: header ?? query.lastEventId }));
    })
    .post('/v1/tickets', async (c) => {
      const ticket = await push.tickets.issue(c.get('credential'));
      if (ticket !== null) return c.json(ticket, 201, { 'cache-control': 'no-store' });
      const detail = 'too many tickets are out that nobody has used; they expire within a minute';
      return problem(c, { status: 503, code: 'NOT_TAKEN', detail, headers: { 'retry-after': '10' } });
    });
};
