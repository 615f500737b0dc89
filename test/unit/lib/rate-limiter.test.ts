import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../src/lib/rate-limiter.ts';

const MINUTE = { requests: 6, windowSeconds: 60 };
const allowed = (remaining: number, untilNextMs: number) => ({ isAllowed: true, remaining, untilNextMs });
const refused = (untilNextMs: number) => ({ isAllowed: false, remaining: 0, untilNextMs });

describe('a rate', () => {
  it('may be used up at once, and comes back evenly', () => {
    const { take } = createRateLimiter(10);
    const at = (nowMs: number) => take('a', MINUTE, nowMs);
    expect([1, 2, 3, 4, 5, 6].map(() => at(1_000))).toEqual([5, 4, 3, 2, 1, 0].map((left) => allowed(left, 10_000)));
    expect(at(1_000)).toEqual(refused(10_000));
    expect(at(10_999)).toEqual(refused(1));
    expect(at(11_000)).toEqual(allowed(0, 10_000));
    expect(at(11_000)).toEqual(refused(10_000));
    // Unused for a window, it is whole again, and not more than whole.
    expect(at(10_000_000)).toEqual(allowed(5, 10_000));
  });

  it('is not used by what is refused', () => {
    const { take } = createRateLimiter(10);
    for (let call = 0; call < 6; call += 1) take('a', MINUTE, 0);
    for (let call = 0; call < 1_000; call += 1) expect(take('a', MINUTE, 5_000)).toEqual(refused(5_000));
    expect(take('a', MINUTE, 10_000).isAllowed).toBe(true);
  });

  it('is exact where the window does not divide evenly', () => {
    const { take } = createRateLimiter(10);
    const sevenths = { requests: 7, windowSeconds: 1 };
    for (let call = 0; call < 7; call += 1) expect(take('a', sevenths, 0).isAllowed).toBe(true);
    // A seventh of a second is 142.86 ms.
    expect(take('a', sevenths, 0)).toEqual(refused(143));
    expect(take('a', sevenths, 142)).toEqual(refused(1));
    expect(take('a', sevenths, 143).isAllowed).toBe(true);
    // The fractions are not lost: seven more in the whole second, not six.
    const times = [286, 429, 572, 715, 858, 1_000];
    expect(times.map((nowMs) => take('a', sevenths, nowMs).isAllowed)).toEqual(times.map(() => true));
    expect(take('a', sevenths, 1_000).isAllowed).toBe(false);
  });

  it('of one name is not that of another', () => {
    const { take } = createRateLimiter(10);
    const once = { requests: 1, windowSeconds: 60 };
    expect(['a', 'b', 'a'].map((name) => take(name, once, 0).isAllowed)).toEqual([true, true, false]);
  });

  it('that is changed begins anew', () => {
    const { take } = createRateLimiter(10);
    expect(take('a', { requests: 1, windowSeconds: 60 }, 0).isAllowed).toBe(true);
    expect(take('a', { requests: 2, windowSeconds: 60 }, 0)).toEqual(allowed(1, 30_000));
  });

  it('may be as large as the file allows', () => {
    const { take } = createRateLimiter(10);
    const largest = { requests: 1_000_000, windowSeconds: 2_678_400 };
    for (let call = 1; call <= 1_000; call += 1) expect(take('a', largest, 0).remaining).toBe(1_000_000 - call);
    expect(take('a', largest, 365 * 86_400_000).remaining).toBe(999_999);
  });
});
