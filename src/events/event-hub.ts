import { describeFault } from '../lib/describe-fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink, NewEvent } from '../ports/event-sink.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import type { EventIds, VcpEvent } from '../protocol/event.ts';
import type { EventFilter, GapNotice } from '../protocol/push.ts';
import { compileFilter } from './compile-filter.ts';
import type { EventArchive } from './event-archive.ts';
import type { EventFrame } from './event-frame.ts';
import { isMeantFor, type EventViewer } from './event-viewer.ts';
import { createEventWindow, type EventWindow, type EventWindowOptions, type KeptEvent } from './event-window.ts';

/** What takes the events of a subscription. Nothing here may throw or wait. */
export type EventReceiver = {
  /** Whether it takes another event now; when that becomes true again, it calls `Subscription.resume`. */
  isReady(): boolean;
  take(frame: EventFrame, event: VcpEvent): void;
  /** Events after the one that was asked for are not kept any more; told before what is left of them. */
  gap(notice: GapNotice): void;
  /** It was so slow that events it should have had are not kept any more; the subscription has ended. */
  overtaken(): void;
};

export type SubscribeOptions = {
  readonly viewer: EventViewer;
  readonly filter: EventFilter;
  /** Begins after this event; with the next one by default. */
  readonly lastEventId?: string | undefined;
  /** Told of where the subscription begins, before its first event. */
  onStart?(lastEventId: string): void;
};

export type Subscription = {
  /** Goes on after the receiver was not ready. */
  resume(): void;
  /** The last event that it has come past, delivered or not: one that begins after it misses nothing. */
  position(): string;
  /** The key's rights may have changed. */
  setViewer(viewer: EventViewer): void;
  end(): void;
};

/** Gives events their id and time, keeps the newest, and delivers them. */
export type EventHub = EventSink & {
  subscribe(options: SubscribeOptions, receiver: EventReceiver): Subscription;
  /** The newest event there was. */
  lastEventId(): string;
  /** How many events of each type there were. */
  counts(): ReadonlyMap<VcpEvent['type'], number>;
};

export type EventHubDependencies = {
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly limits: EventWindowOptions['limits'];
  readonly redact: EventWindowOptions['redact'];
  /** Must not lead back here: what goes wrong with an event is no event. */
  readonly logger: Logger;
  /** Without one, events are kept for as long as this process lives. */
  readonly archive?: EventArchive;
};

const NO_IDS: EventIds = {
  invocationId: null,
  requestId: null,
  resultId: null,
  recordId: null,
  taskId: null,
  approvalId: null,
  scheduleId: null,
  toolName: null,
};

/**
 * Every subscription is a place in the one window of kept events, so that what waits for a slow client costs nothing
 * beside the window, and is bounded by it in number, bytes and age. Whoever falls out of it is ended, and nobody else
 * notices.
 */
export const createEventHub = (dependencies: EventHubDependencies): EventHub => {
  const { ids, clock, limits, redact, logger, archive } = dependencies;
  const window = createEventWindow({ limits, redact, startId: ids.next('event'), archive });
  const readers = new Set<Reader>();
  const counts = new Map<VcpEvent['type'], number>();

  const end = (reader: Reader) => {
    readers.delete(reader);
    reader.end();
  };
  /** One receiver that fails is none of the others' business. */
  const advance = (reader: Reader) => {
    try {
      if (!reader.advance()) readers.delete(reader);
    } catch (error) {
      end(reader);
      logger.error('events.not-delivered', { fault: describeFault(error) });
    }
  };

  return {
    lastEventId: window.lastId,
    counts: () => counts,
    emit: (event, address) => {
      try {
        const now = clock.now();
        window.add(whole(event, ids.next('event'), now), address, now);
        counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
      } catch (error) {
        logger.error('events.not-emitted', { type: event.type, fault: describeFault(error) });
        return;
      }
      for (const reader of readers) advance(reader);
    },
    subscribe: ({ viewer, filter, lastEventId, onStart }, receiver) => {
      window.forget(clock.now());
      onStart?.(lastEventId ?? window.lastId());
      let from = window.next();
      if (lastEventId !== undefined) {
        from = window.after(lastEventId);
        // One that is newer than all comes from a server of another time.
        if (lastEventId < window.lastForgotten() || lastEventId > window.lastId()) {
          const oldestEventId = from < window.next() ? window.at(from).event.id : null;
          receiver.gap({ type: 'gap', lastEventId, oldestEventId });
        }
      }
      const position = lastEventId === undefined || from === window.next() ? window.lastId() : lastEventId;
      const reader = createReader(window, { viewer, passes: compileFilter(filter), from, position, receiver });
      readers.add(reader);
      advance(reader);
      return {
        resume: () => advance(reader),
        position: reader.position,
        setViewer: reader.setViewer,
        end: () => end(reader),
      };
    },
  };
};

/** The members of an event in the order in which they are read best. */
const whole = ({ type, ...rest }: NewEvent, id: string, now: number): VcpEvent =>
  ({ id, type, time: new Date(now).toISOString(), ...NO_IDS, ...rest }) as VcpEvent;

/** `advance` gives false when the reader has ended. */
type Reader = { advance(): boolean } & Pick<Subscription, 'position' | 'setViewer' | 'end'>;

type ReaderStart = {
  readonly viewer: EventViewer;
  readonly passes: (event: VcpEvent) => boolean;
  readonly from: number;
  /** The event before that. */
  readonly position: string;
  readonly receiver: EventReceiver;
};

const createReader = (window: EventWindow, { passes, receiver, ...start }: ReaderStart): Reader => {
  let { viewer, from: place, position } = start;
  let isAdvancing = false;
  let hasEnded = false;

  const isWanted = ({ event, address }: KeptEvent): boolean => isMeantFor(viewer, address) && passes(event);

  const go = () => {
    while (!hasEnded && place < window.next()) {
      if (place < window.first()) {
        hasEnded = true;
        receiver.overtaken();
        return;
      }
      const kept = window.at(place);
      if (isWanted(kept)) {
        if (!receiver.isReady()) return;
        receiver.take(kept.frameFor(viewer.seesEverything), kept.event);
      }
      place += 1;
      position = kept.event.id;
    }
  };

  return {
    advance: () => {
      // Taking an event may make room at once, or lead to another event: the loop that runs sees it.
      if (isAdvancing) return true;
      isAdvancing = true;
      try {
        go();
      } finally {
        isAdvancing = false;
      }
      return !hasEnded;
    },
    position: () => position,
    setViewer: (next) => {
      viewer = next;
    },
    end: () => {
      hasEnded = true;
    },
  };
};
