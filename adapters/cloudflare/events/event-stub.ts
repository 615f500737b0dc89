import type { EventObject } from './event-object.ts';

/** The object as a worker reaches it: its methods from afar. */
export type EventObjectStub = {
  publish(...given: Parameters<EventObject['publish']>): Promise<void>;
  issueTicket: EventObject['issueTicket'];
  redeemTicket: EventObject['redeemTicket'];
  fetch(url: string, init?: RequestInit): Promise<Response>;
};

/** The binding of a class of Durable Objects. */
export type EventObjects = { idFromName(name: string): unknown; get(id: unknown): EventObjectStub };

/** All isolates mean the same one. */
export const eventObjectOf = (objects: EventObjects): EventObjectStub => objects.get(objects.idFromName('events'));
