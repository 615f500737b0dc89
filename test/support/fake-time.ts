import type { Clock } from '../../src/ports/clock.ts';
import type { Timers } from '../../src/ports/timers.ts';

/** A clock and timers that move only when a test moves them. */
export type FakeTime = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Lets the milliseconds pass: every timer fires at its moment, and what follows from it happens. */
  pass(ms: number): Promise<void>;
  /** Sets the clock on the wall; timers and the monotonic clock do not notice. */
  set(now: number): void;
  /** Milliseconds until each timer that is set, the nearest first. */
  waits(): number[];
};

export const createFakeTime = (start: number): FakeTime => {
  let elapsed = 0;
  let wall = start;
  let made = 0;
  const set = new Map<number, { readonly at: number; readonly action: () => void }>();
  const next = () => [...set].toSorted(([a, one], [b, two]) => one.at - two.at || a - b)[0];
  return {
    clock: { now: () => wall, monotonic: () => elapsed },
    timers: {
      after: (ms, action) => {
        const id = (made += 1);
        set.set(id, { at: elapsed + ms, action });
        return () => void set.delete(id);
      },
    },
    pass: async (ms) => {
      const until = elapsed + ms;
      await settled();
      for (let due = next(); due !== undefined && due[1].at <= until; due = next()) {
        const [id, { at, action }] = due;
        wall += at - elapsed;
        elapsed = at;
        set.delete(id);
        action();
        await settled();
      }
      wall += until - elapsed;
      elapsed = until;
    },
    set: (now) => {
      wall = now;
    },
    waits: () => [...set.values()].map(({ at }) => at - elapsed).toSorted((a, b) => a - b),
  };
};

/** What follows from a timer takes some hundred steps of promises, and nothing here waits for anything else. */
const settled = async (): Promise<void> => {
  for (let step = 0; step < 500; step += 1) await Promise.resolve();
};
