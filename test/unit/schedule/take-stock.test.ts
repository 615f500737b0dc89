import { describe, expect, it } from 'vitest';
import { dueTimesOf } from '../../../src/schedule/due-times.ts';
import { takeStock } from '../../../src/schedule/take-stock.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-11-30T12:00:00.000Z');
const every = (cron: string) =>
  dueTimesOf({ at: null, cron, timeZone: 'UTC', startAt: null, endAt: NOON + 600 * MINUTE });
const stock = (now: number, policy: 'skip' | 'once', cron = '*/5 * * * *') =>
  takeStock(every(cron), NOON, { now, policy, lateMs: MINUTE });

describe('what is due', () => {
  it('runs on time, and a little late', () => {
    const onTime = { runAt: NOON, missed: null, nextAt: NOON + 5 * MINUTE };
    expect([stock(NOON, 'skip'), stock(NOON + MINUTE, 'skip')]).toEqual([onTime, onTime]);
  });

  it('is missed when it is late', () => {
    expect(stock(NOON + MINUTE + 1, 'skip')).toEqual({
      runAt: null,
      missed: { firstAt: NOON, times: 1 },
      nextAt: NOON + 5 * MINUTE,
    });
    expect(stock(NOON + 13 * MINUTE, 'skip')).toEqual({
      runAt: null,
      missed: { firstAt: NOON, times: 3 },
      nextAt: NOON + 15 * MINUTE,
    });
  });

  it('runs once for all that were missed, if that is wished', () => {
    expect(stock(NOON + 13 * MINUTE, 'once')).toEqual({
      runAt: NOON + 10 * MINUTE,
      missed: { firstAt: NOON, times: 2 },
      nextAt: NOON + 15 * MINUTE,
    });
    expect(stock(NOON + 4 * MINUTE, 'once')).toEqual({ runAt: NOON, missed: null, nextAt: NOON + 5 * MINUTE });
  });

  it('runs the latest by right, whatever was missed before it', () => {
    expect(stock(NOON + 10 * MINUTE + 2, 'skip')).toEqual({
      runAt: NOON + 10 * MINUTE,
      missed: { firstAt: NOON, times: 2 },
      nextAt: NOON + 15 * MINUTE,
    });
  });

  it('is counted up to a hundred, and still found', () => {
    const now = NOON + 590 * MINUTE + 30_500;
    const found = stock(now, 'once', '*/10 * * * * *');
    expect(found).toEqual({
      runAt: NOON + 590 * MINUTE + 30_000,
      missed: { firstAt: NOON, times: 99 },
      nextAt: NOON + 590 * MINUTE + 40_000,
    });
  });

  it('ends with the last due time', () => {
    const after = stock(NOON + 9_000 * MINUTE, 'once');
    expect(after).toEqual({
      runAt: NOON + 600 * MINUTE,
      missed: { firstAt: NOON, times: 99 },
      nextAt: null,
    });
  });
});
