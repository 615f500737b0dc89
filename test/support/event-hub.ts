// A hub with a clock of its own, and receivers that take down what they are given. Portable.
import { createEventHub, type EventHub, type EventReceiver, type Subscription } from '../../src/events/event-hub.ts';
import type { EventViewer } from '../../src/events/event-viewer.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { EventAddress, NewEvent } from '../../src/ports/event-sink.ts';
import type { VcpEvent } from '../../src/protocol/event.ts';
import type { EventFilter, GapNotice } from '../../src/protocol/push.ts';
import { redactEvent } from '../../src/runtime/redact-event.ts';

export type TestHub = {
  readonly hub: EventHub;
  readonly faults: string[];
  /** Milliseconds since the epoch. */
  time: number;
  /** Emits a message of a plugin, which carries a number. */
  emit(number: number, address?: EventAddress): void;
};

export const everyone: EventAddress = { audience: { to: 'everyone' } };
export const ofAlice: EventAddress = { audience: { to: 'owner', owner: 'alice' } };

export const message = (body: object, toolName = 'Sample'): NewEvent => ({
  type: 'plugin_message',
  toolName,
  data: { plugin: toolName, name: 'n', message: body as never },
});

export const createTestHub = (limits: Partial<Limits> = {}): TestHub => {
  const faults: string[] = [];
  const silent = () => undefined;
  const test = {
    time: 1_000_000,
    faults,
    emit: (number: number, address: EventAddress = everyone) => test.hub.emit(message({ number }), address),
  } as { hub: EventHub } & TestHub;
  test.hub = createEventHub({
    ids: createUlidIds(() => test.time),
    clock: { now: () => test.time, monotonic: () => test.time },
    limits: { ...DEFAULT_LIMITS, ...limits },
    redact: (event, given) => redactEvent(event, ['/srv/vcp'], given),
    logger: { debug: silent, info: silent, warn: silent, error: (event) => void faults.push(event) },
  });
  return test;
};

/** The number that an event of `emit` carries. */
export const numberOf = (event: VcpEvent): number =>
  event.type === 'plugin_message' ? Number(event.data.message['number']) : Number.NaN;

export type Listener = {
  readonly subscription: Subscription;
  readonly events: VcpEvent[];
  readonly gaps: GapNotice[];
  wasOvertaken: boolean;
  /** How many more events it takes before it is not ready. */
  room: number;
  /** The numbers that its events carried. */
  numbers(): number[];
};

export type ListenOptions = {
  readonly viewer?: Partial<EventViewer>;
  readonly filter?: EventFilter;
  readonly lastEventId?: string;
  readonly room?: number;
};

export const listen = (hub: EventHub, options: ListenOptions = {}): Listener => {
  const { viewer, filter = {}, lastEventId, room = Infinity } = options;
  const listener: Omit<Listener, 'subscription'> = {
    events: [],
    gaps: [],
    wasOvertaken: false,
    room,
    numbers: () => listener.events.map(numberOf),
  };
  const receiver: EventReceiver = {
    isReady: () => listener.room > 0,
    take: (frame) => {
      listener.room -= 1;
      // What is sent is what counts, not the object that it was made of.
      listener.events.push(JSON.parse(new TextDecoder().decode(frame.json())) as VcpEvent);
    },
    gap: (notice) => void listener.gaps.push(notice),
    overtaken: () => (listener.wasOvertaken = true),
  };
  const alice = { id: 'alice', seesEverything: false, clientType: null, mayUseTool: () => true };
  const subscription = hub.subscribe({ viewer: { ...alice, ...viewer }, filter, lastEventId }, receiver);
  return Object.assign(listener, { subscription });
};
