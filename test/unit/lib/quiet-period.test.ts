import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQuietPeriod } from '../../../src/lib/quiet-period.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const counted = () => {
  const runs = { count: 0 };
  return { runs, ...createQuietPeriod({ quietMs: 200, longestMs: 1_000 }, () => (runs.count += 1)) };
};

describe('a quiet period', () => {
  it('answers many signals once, after the last', () => {
    const { runs, signal } = counted();
    for (let each = 0; each < 4; each += 1) {
      signal();
      vi.advanceTimersByTime(199);
    }
    expect(runs.count).toBe(0);
    vi.advanceTimersByTime(1);
    expect(runs.count).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(runs.count).toBe(1);
  });

  it('does not wait for ever for signals to end', () => {
    const { runs, signal } = counted();
    for (let each = 0; each < 30; each += 1) {
      signal();
      vi.advanceTimersByTime(100);
    }
    expect(runs.count).toBe(3);
  });

  it('begins anew after each answer', () => {
    const { runs, signal } = counted();
    signal();
    vi.advanceTimersByTime(200);
    signal();
    vi.advanceTimersByTime(199);
    expect(runs.count).toBe(1);
    vi.advanceTimersByTime(1);
    expect(runs.count).toBe(2);
  });

  it('forgets when it is closed', () => {
    const { runs, signal, close } = counted();
    signal();
    close();
    vi.advanceTimersByTime(10_000);
    expect(runs.count).toBe(0);
  });
});
