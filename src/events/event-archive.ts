import type { EventAddress } from '../ports/event-sink.ts';

/** An event as it is kept: its JSON text, who may hear of it, and when it came (milliseconds since the epoch). */
export type ArchivedEvent = {
  readonly id: string;
  readonly text: string;
  readonly address: EventAddress;
  readonly at: number;
};

/**
 * Where kept events outlive the process that holds them, for a runtime that puts its processes to sleep. Nothing here
 * waits: an event is in the archive before anybody hears of it.
 */
export type EventArchive = {
  /** The newest event that is gone, or the id from before the first; and all that are left, the oldest first. */
  load(): { readonly lastForgotten: string; readonly events: Iterable<ArchivedEvent> };
  add(event: ArchivedEvent): void;
  /** Removes all events up to the one of this id. */
  forget(id: string): void;
};
