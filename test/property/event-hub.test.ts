import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestHub, listen, type Listener } from '../support/event-hub.ts';

// Whatever emits, stalls, comes back and leaves in whatever order: a client has every event after its start in order and
// once, or is told that some are missing, or is ended.

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('emit' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  fc.record({ kind: fc.constant('room' as const), room: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('again' as const), room: fc.integer({ min: 0, max: 30 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 60 }) }),
);

describe('the hub', () => {
  it('loses nothing silently', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (steps, keptEvents) => {
        const test = createTestHub({ keptEvents, keptEventMs: 100 });
        const healthy = listen(test.hub);
        let emitted = 0;
        let client = listen(test.hub, { room: 3 });
        /** Number of the last event that the client had, or stood behind, before this connection. */
        let before = 0;
        const check = (listener: Listener, from: number) => {
          const numbers = listener.numbers();
          const [first = from + 1] = numbers;
          expect(numbers).toEqual(numbers.map((_, index) => first + index));
          if (listener.gaps.length === 0) expect(first).toBe(from + 1);
          else expect(first).toBeGreaterThan(from);
        };
        for (const next of steps) {
          if (next.kind === 'emit') for (let n = 0; n < next.count; n += 1) test.emit((emitted += 1));
          if (next.kind === 'wait') test.time += next.ms;
          if (next.kind === 'room') {
            client.room = next.room;
            client.subscription.resume();
          }
          if (next.kind === 'again') {
            check(client, before);
            before = client.numbers().at(-1) ?? before;
            const lastEventId = client.subscription.position();
            client.subscription.end();
            client = listen(test.hub, { lastEventId, room: next.room });
            if (client.gaps.length > 0 && client.numbers().length === 0 && client.room > 0) before = emitted;
          }
        }
        client.room = Infinity;
        client.subscription.resume();
        check(client, before);
        if (!client.wasOvertaken && client.gaps.length === 0) expect(client.numbers().at(-1) ?? before).toBe(emitted);
        expect(healthy.numbers()).toEqual(Array.from({ length: emitted }, (_, index) => index + 1));
      }),
    );
  });
});
