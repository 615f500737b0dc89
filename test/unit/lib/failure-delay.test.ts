import { describe, expect, it } from 'vitest';
import { createFailureDelay } from '../../../src/lib/failure-delay.ts';

const options = { free: 3, longestMs: 60_000, capacity: 100 };

describe('a source that fails', () => {
  it('waits for nothing while its failures are free', () => {
    const { fail } = createFailureDelay(options);
    expect([1, 2, 3].map(() => fail('a', 0))).toEqual([
      { waitMs: 0, isNew: false, failures: 1 },
      { waitMs: 0, isNew: false, failures: 2 },
      { waitMs: 0, isNew: false, failures: 3 },
    ]);
  });

  it('then waits twice as long each time, up to the longest wait', () => {
    const { fail } = createFailureDelay(options);
    for (let free = 0; free < 3; free += 1) fail('a', 0);
    let nowMs = 0;
    const waits: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const { waitMs } = fail('a', nowMs);
      waits.push(waitMs);
      nowMs += waitMs;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is told what is left of its wait, and waits no longer for having asked', () => {
    const { fail } = createFailureDelay(options);
    for (let free = 0; free < 3; free += 1) fail('a', 0);
    expect(fail('a', 0)).toEqual({ waitMs: 1_000, isNew: true, failures: 4 });
    for (let again = 0; again < 1_000; again += 1) {
      expect(fail('a', 400)).toEqual({ waitMs: 600, isNew: false, failures: 4 });
    }
    expect(fail('a', 1_000)).toEqual({ waitMs: 2_000, isNew: true, failures: 5 });
  });

  it('is forgiven a failure a minute, from however many', () => {
    const { fail } = createFailureDelay(options);
    let nowMs = 0;
    for (let round = 0; round < 500; round += 1) nowMs += fail('a', nowMs).waitMs;
    expect(fail('a', nowMs).waitMs).toBe(60_000);
    nowMs += 60_000;
    // Ten are held against it at most; eight minutes later it is two, and this one.
    expect(fail('a', nowMs + 8 * 60_000)).toMatchObject({ waitMs: 0, failures: 3 });
    const { fail: other } = createFailureDelay(options);
    for (let free = 0; free < 3; free += 1) other('b', 0);
    expect(other('b', 3 * 60_000)).toEqual({ waitMs: 0, isNew: false, failures: 1 });
  });

  it('is not another source', () => {
    const { fail } = createFailureDelay(options);
    for (let failure = 0; failure < 10; failure += 1) fail('a', 0);
    expect(fail('b', 0)).toEqual({ waitMs: 0, isNew: false, failures: 1 });
  });

  it('is forgotten when many others have failed since', () => {
    const { fail } = createFailureDelay({ ...options, capacity: 2 });
    for (let failure = 0; failure < 10; failure += 1) fail('a', 0);
    fail('b', 0);
    expect(fail('a', 0).waitMs).toBeGreaterThan(0);
    fail('c', 0);
    expect(fail('a', 0).failures).toBe(1);
  });
});
