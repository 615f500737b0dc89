import { utf8Size } from '../lib/utf8-size.ts';
import type { Limits } from '../lib/limits.ts';
import type { EventAddress } from '../ports/event-sink.ts';
import type { VcpEvent } from '../protocol/event.ts';
import type { EventArchive } from './event-archive.ts';
import { createEventFrame, type EventFrame } from './event-frame.ts';

/** An event that is kept, with the forms in which it is sent. `number` counts events from the first on. */
export type KeptEvent = {
  readonly number: number;
  readonly event: VcpEvent;
  readonly address: EventAddress;
  readonly at: number;
  readonly bytes: number;
  /** As operators read it, or as all others do. */
  frameFor(seesEverything: boolean): EventFrame;
};

/** The newest events, bounded by their number, bytes and age. */
export type EventWindow = {
  add(event: VcpEvent, address: EventAddress, at: number): KeptEvent;
  /** The number of the oldest event that is kept, or of the next one when none is. */
  first(): number;
  /** The number that the next event will have. */
  next(): number;
  at(number: number): KeptEvent;
  /** The newest event that is not kept any more, or from before the first. */
  lastForgotten(): string;
  /** The newest event there was. */
  lastId(): string;
  /** The number of the first event that is kept and comes after this one. */
  after(id: string): number;
  forget(now: number): void;
};

export type EventWindowOptions = {
  readonly limits: Pick<Limits, 'keptEvents' | 'keptEventBytes' | 'keptEventMs'>;
  /** An event without what ordinary keys may not read; the same event when there is nothing to take out. */
  redact(event: VcpEvent, given: ReadonlySet<string> | undefined): VcpEvent;
  /** Older than every event that will come. */
  readonly startId: string;
  /** Where what is kept outlives this process; what is in it is kept from the beginning. */
  readonly archive?: EventArchive | undefined;
};

/** What was forgotten is cut off when it is as much as this, and as much as what is kept. */
const CUT_AT = 1_024;

export const createEventWindow = ({ limits, redact, startId, archive }: EventWindowOptions): EventWindow => {
  let kept: (KeptEvent | undefined)[] = [];
  /** Where in `kept` the oldest stands, and its number. */
  let head = 0;
  let first = 0;
  let bytes = 0;
  let lastForgotten = startId;
  let lastId = startId;
  const next = () => first + kept.length - head;

  const forgetOldest = () => {
    const oldest = kept[head] as KeptEvent;
    kept[head] = undefined;
    head += 1;
    first += 1;
    bytes -= oldest.bytes;
    lastForgotten = oldest.event.id;
    if (head >= CUT_AT && head * 2 >= kept.length) {
      kept = kept.slice(head);
      head = 0;
    }
  };

  const isTooMuch = (now: number): boolean => {
    const oldest = kept[head];
    if (oldest === undefined) return false;
    if (now - oldest.at > limits.keptEventMs) return true;
    // The newest has not been delivered yet, and stays however large it is.
    const count = kept.length - head;
    return count > limits.keptEvents || (bytes > limits.keptEventBytes && count > 1);
  };
  const forget = (now: number) => {
    const before = first;
    while (isTooMuch(now)) forgetOldest();
    if (first > before) archive?.forget(lastForgotten);
  };

  const keep = (event: VcpEvent, text: string, address: EventAddress, at: number): KeptEvent => {
    const whole = createEventFrame(event, text);
    let redacted: EventFrame | null = null;
    const entry: KeptEvent = {
      number: next(),
      event,
      address,
      at,
      bytes: utf8Size(text),
      frameFor: (seesEverything) => {
        if (seesEverything) return whole;
        if (redacted !== null) return redacted;
        const shown = redact(event, address.given);
        redacted = shown === event ? whole : createEventFrame(shown, JSON.stringify(shown));
        return redacted;
      },
    };
    kept.push(entry);
    bytes += entry.bytes;
    lastId = event.id;
    return entry;
  };

  if (archive !== undefined) {
    const earlier = archive.load();
    lastForgotten = lastId = earlier.lastForgotten;
    for (const { text, address, at } of earlier.events) keep(JSON.parse(text) as VcpEvent, text, address, at);
  }

  return {
    add: (event, address, at) => {
      const text = JSON.stringify(event);
      archive?.add({ id: event.id, text, address, at });
      const entry = keep(event, text, address, at);
      forget(at);
      return entry;
    },
    first: () => first,
    next,
    at: (number) => kept[head + number - first] as KeptEvent,
    lastForgotten: () => lastForgotten,
    lastId: () => lastId,
    after: (id) => {
      let low = head;
      let high = kept.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((kept[middle] as KeptEvent).event.id > id) high = middle;
        else low = middle + 1;
      }
      return first + low - head;
    },
    forget,
  };
};
