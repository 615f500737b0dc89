import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadline, DeadlineReached, raceWithSignal } from '../../../src/lib/deadline.ts';

const never = () => new Promise<never>(() => undefined);

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('aborts when its time is over, not before', () => {
    const deadline = createDeadline({ now: 1_000, timeoutMs: 50 });
    expect(deadline.at).toBe(1_050);
    vi.advanceTimersByTime(49);
    expect([deadline.signal.aborted, deadline.reason()]).toEqual([false, null]);
    vi.advanceTimersByTime(1);
    expect([deadline.signal.aborted, deadline.reason()]).toEqual([true, 'timeout']);
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineReached);
  });

  it('stands still while it is held, and goes on with what was left', () => {
    const deadline = createDeadline({ now: 1_000, timeoutMs: 50 });
    vi.advanceTimersByTime(30);
    deadline.hold(1_030);
    deadline.hold(1_030);
    vi.advanceTimersByTime(5_000);
    expect(deadline.signal.aborted).toBe(false);
    deadline.resume(6_030);
    deadline.resume(9_000);
    expect(deadline.at).toBe(6_050);
    vi.advanceTimersByTime(19);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.reason()).toBe('timeout');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('heeds its caller while it is held, and leaves no timer when it ends so', () => {
    const caller = new AbortController();
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: caller.signal });
    deadline.hold(10);
    caller.abort();
    expect(deadline.reason()).toBe('cancelled');
    deadline.resume(20);
    deadline.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts when the caller does, and keeps the first reason', () => {
    const caller = new AbortController();
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: caller.signal });
    caller.abort();
    vi.advanceTimersByTime(100);
    expect(deadline.reason()).toBe('cancelled');
  });

  it('keeps a time-out as reason when the caller aborts later', () => {
    const caller = new AbortController();
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: caller.signal });
    vi.advanceTimersByTime(50);
    caller.abort();
    expect(deadline.reason()).toBe('timeout');
  });

  it('is cancelled at once by a signal that has aborted already', async () => {
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: AbortSignal.abort() });
    expect(deadline.reason()).toBe('cancelled');
    await expect(raceWithSignal(Promise.resolve(1), deadline.signal)).rejects.toMatchObject({
      name: 'DeadlineReached',
      reason: 'cancelled',
    });
  });

  it('has no effect after it was disposed of', () => {
    const caller = new AbortController();
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: caller.signal });
    deadline.dispose();
    vi.advanceTimersByTime(1_000);
    caller.abort();
    expect([deadline.signal.aborted, deadline.reason(), vi.getTimerCount()]).toEqual([false, null, 0]);
  });

  it('lets work that is done in time through, and its failure too', async () => {
    const deadline = createDeadline({ now: 0, timeoutMs: 50 });
    await expect(raceWithSignal(Promise.resolve('done'), deadline.signal)).resolves.toBe('done');
    await expect(raceWithSignal(Promise.reject(new Error('own')), deadline.signal)).rejects.toThrow('own');
    deadline.dispose();
  });

  it('does not wait for work that hangs', async () => {
    const deadline = createDeadline({ now: 0, timeoutMs: 50 });
    const raced = expect(raceWithSignal(never(), deadline.signal)).rejects.toMatchObject({ reason: 'timeout' });
    vi.advanceTimersByTime(50);
    await raced;
  });

  it('swallows the failure of work that lost', async () => {
    const deadline = createDeadline({ now: 0, timeoutMs: 50, signal: AbortSignal.abort() });
    await expect(raceWithSignal(Promise.reject(new Error('late')), deadline.signal)).rejects.toBeInstanceOf(
      DeadlineReached,
    );
    deadline.dispose();
  });
});
