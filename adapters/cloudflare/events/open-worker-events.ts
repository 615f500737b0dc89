import type { Limits } from '../../../src/lib/limits.ts';
import type { Identities } from '../../../src/ports/authenticator.ts';
import type { EventSink } from '../../../src/ports/event-sink.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { EventPush } from '../../../src/server/push/event-push.ts';
import { createEventSender, type EventSender } from './event-sender.ts';
import { eventObjectOf, type EventObjects } from './event-stub.ts';
import { createRemoteEventPush } from './remote-event-push.ts';

export type WorkerEventsOptions = {
  /** Null where the deployment binds none. */
  readonly objects: EventObjects | null;
  readonly identities: Identities;
  readonly limits: Pick<Limits, 'keptEvents'>;
  readonly logger: Logger;
};

export type WorkerEvents = Pick<EventSender, 'within'> & {
  readonly events: EventSink;
  readonly eventPush: EventPush | null;
};

/** The events of a worker: told to the object that delivers them, or to nobody where there is none. */
export const openWorkerEvents = ({ objects, identities, limits, logger }: WorkerEventsOptions): WorkerEvents => {
  if (objects === null)
    return { events: { emit: () => undefined }, eventPush: null, within: (_context, work) => work() };
  const stub = () => eventObjectOf(objects);
  const sender = createEventSender({ stub, logger, most: limits.keptEvents });
  return { events: sender, eventPush: createRemoteEventPush(stub, identities), within: sender.within };
};
