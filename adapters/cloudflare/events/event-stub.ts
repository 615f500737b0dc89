import type { EventAddress, NewEvent } from '../../../src/ports/event-sink.ts';
import type { EventTicket } from '../../../src/protocol/push.ts';

/** An event as an isolate sends it. */
export type SentEvent = { readonly event: NewEvent; readonly address: EventAddress };

/** The object that delivers events, as a worker reaches it: its methods from afar. */
export type EventObjectStub = {
  publish(events: readonly SentEvent[]): Promise<void>;
  /** For the key of this id; null when too many are out. */
  issueTicket(keyId: string): Promise<EventTicket | null>;
  /** The id of the key. */
  redeemTicket(ticket: string): Promise<string | null>;
  /** Opens the connection of a request for a WebSocket, or of any other as a stream; `session` in its address says whose. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
};

/** The binding of a class of Durable Objects. */
export type EventObjects = { idFromName(name: string): unknown; get(id: unknown): EventObjectStub };

/** All isolates mean the same one. */
export const eventObjectOf = (objects: EventObjects): EventObjectStub => objects.get(objects.idFromName('events'));
