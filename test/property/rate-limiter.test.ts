import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateLimiter } from '../../src/lib/rate-limiter.ts';

const rates = fc.record({
  requests: fc.integer({ min: 1, max: 20 }),
  windowSeconds: fc.integer({ min: 1, max: 10 }),
});
const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 12_000 })),
  {
    minLength: 1,
    maxLength: 120,
  },
);

it('never lets more through than the rate has and what came back meanwhile', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      const { take } = createRateLimiter(1);
      let nowMs = 0;
      const through: number[] = [];
      for (const wait of waits) {
        nowMs += wait;
        if (take('x', rate, nowMs).isAllowed) through.push(nowMs);
      }
      for (const [first, from] of through.entries()) {
        for (let last = first; last < through.length; last += 1) {
          const elapsed = (through[last] as number) - from;
          const cameBack = Math.floor((elapsed * rate.requests) / (rate.windowSeconds * 1_000));
          expect(last - first + 1).toBeLessThanOrEqual(rate.requests + cameBack);
        }
      }
    }),
  );
});

it('says to the millisecond when there is more, and how much there is at once', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      let nowMs = 0;
      const times = waits.map((wait) => (nowMs += wait));
      // The same history, as often as it is asked what comes after it.
      const afterHistory = () => {
        const limiter = createRateLimiter(1);
        const last = times.map((time) => limiter.take('x', rate, time)).at(-1)!;
        const takenAt = (time: number): number => {
          let count = 0;
          while (count <= rate.requests && limiter.take('x', rate, time).isAllowed) count += 1;
          return count;
        };
        return { last, takenAt };
      };
      const { remaining, untilNextMs } = afterHistory().last;
      expect(afterHistory().takenAt(nowMs)).toBe(remaining);
      expect(afterHistory().takenAt(nowMs + untilNextMs - 1)).toBe(remaining);
      expect(afterHistory().takenAt(nowMs + untilNextMs)).toBeGreaterThan(remaining);
    }),
  );
});

it('keeps no more buckets than it was told, and forgets the ones that were filled longest ago', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 100 }), (names) => {
      const { take } = createRateLimiter(5);
      const once = { requests: 1, windowSeconds: 60 };
      const filled: number[] = [];
      for (const name of names) {
        const isAllowed = take(String(name), once, 0).isAllowed;
        expect(isAllowed).toBe(!filled.slice(-5).includes(name));
        if (isAllowed) filled.push(name);
      }
    }),
  );
});
