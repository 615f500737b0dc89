import { z } from 'zod';
import { VcpEvent, type VcpEventType } from './event.ts';
import { EventId, InvocationId, TaskId } from './ids.ts';
import { Timestamp } from './timestamp.ts';

/** What kind of client a connection belongs to, in its own word; events may be meant for one kind alone. */
export const ClientType = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, {
  error: 'must have 1 to 64 letters, digits, "_", "." or "-"',
});
export type ClientType = z.infer<typeof ClientType>;

const EVENT_TYPES = VcpEvent.options.map((option) => option.shape.type.value) as [VcpEventType, ...VcpEventType[]];

/** The types of events, by name. */
export const EventType = z.enum(EVENT_TYPES);

const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(64);

/** Which events a subscription gets: those that are in every list that is given. */
export const EventFilter = z.strictObject({
  types: some(EventType).optional(),
  tools: some(z.string().min(1).max(256)).optional(),
  invocations: some(InvocationId).optional(),
  tasks: some(TaskId).optional(),
});
export type EventFilter = z.infer<typeof EventFilter>;

/** Comes back in the answer to a message, so that a client knows which one it is. */
const ref = z.string().min(1).max(64).optional();

/** What a client may send on `/v1/ws`. */
export const PushRequest = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('subscribe'),
      ref,
      ...EventFilter.shape,
      clientType: ClientType.optional(),
      lastEventId: EventId.optional(),
    }),
    z.strictObject({ type: z.literal('unsubscribe'), ref }),
    z.strictObject({ type: z.literal('ping'), ref }),
  ])
  .meta({
    id: 'push-request',
    title: 'PushRequest',
    description:
      'What a client sends on /v1/ws: other events in place of those so far (after lastEventId, if it is given), none any more, or a question whether the server lives.',
  });
export type PushRequest = z.infer<typeof PushRequest>;

const answers = { ref: z.string().nullable() };
const lastEventId = EventId.meta({ description: 'The newest event there was; go on after it.' });

/** Events after `lastEventId` that are not kept any more: what the client missed is read from results, tasks and records. */
export const GapNotice = z.strictObject({
  type: z.literal('gap'),
  lastEventId: EventId.meta({ description: 'The event after which some are missing.' }),
  oldestEventId: EventId.nullable().meta({ description: 'The oldest that is kept; null when none is.' }),
});
export type GapNotice = z.infer<typeof GapNotice>;

export const SubscribedNotice = z.strictObject({
  type: z.literal('subscribed'),
  ...answers,
  clientType: ClientType.nullable(),
  lastEventId: EventId.meta({ description: 'Events after this one follow.' }),
});
export type SubscribedNotice = z.infer<typeof SubscribedNotice>;

/** What the server sends on `/v1/ws` beside events; on `/v1/events` it sends `subscribed`, `gap` and `heartbeat`. */
export const PushNotice = z
  .discriminatedUnion('type', [
    SubscribedNotice,
    z.strictObject({ type: z.literal('unsubscribed'), ...answers }),
    z.strictObject({ type: z.literal('pong'), ...answers, time: Timestamp, lastEventId }),
    z.strictObject({ type: z.literal('heartbeat'), lastEventId }),
    GapNotice,
    z.strictObject({
      type: z.literal('error'),
      ...answers,
      code: z.string(),
      message: z.string(),
      errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })),
    }),
  ])
  .meta({ id: 'push-notice', title: 'PushNotice', description: 'What /v1/ws carries beside events.' });
export type PushNotice = z.infer<typeof PushNotice>;

/** Opens `/v1/ws` or `/v1/events` once, for clients that cannot send a header. */
export const EventTicket = z
  .strictObject({
    ticket: z.string().meta({ description: 'The value of ?ticket=.' }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'event-ticket', title: 'EventTicket', description: 'Opens /v1/ws or /v1/events once.' });
export type EventTicket = z.infer<typeof EventTicket>;
