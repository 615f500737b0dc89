import { describe, expect, it } from 'vitest';
import { planSchedule } from '../../../src/schedule/plan-schedule.ts';

const rules = {
  now: Date.parse('2026-11-30T12:00:00.000Z'),
  timeZone: 'Europe/Berlin',
  limits: { shortestScheduleMs: 10_000 },
};
const plan = (times: Parameters<typeof planSchedule>[0]) => planSchedule(times, rules);

describe('planning a schedule', () => {
  it('takes a time with any offset', () => {
    expect(plan({ at: '2026-12-01T09:30:00+08:00' })).toEqual({
      ok: true,
      timing: { at: Date.parse('2026-12-01T01:30:00Z'), cron: null, timeZone: null, startAt: null, endAt: null },
      firstAt: Date.parse('2026-12-01T01:30:00Z'),
    });
  });

  it.each([
    ['30 9 * * *', undefined, '2026-12-01T08:30:00.000Z'],
    ['30 9 * * *', 'Asia/Shanghai', '2026-12-01T01:30:00.000Z'],
    ['*/30 * * * * *', undefined, '2026-11-30T12:00:30.000Z'],
    [' 0 9 * * MON-FRI ', undefined, '2026-12-01T08:00:00.000Z'],
    ['@yearly', 'UTC', '2027-01-01T00:00:00.000Z'],
    ['0 0 L * *', 'UTC', '2026-12-31T00:00:00.000Z'],
  ])('reads "%s" in its zone (%s)', (cron, timeZone, first) => {
    const planned = plan({ cron, ...(timeZone === undefined ? {} : { timeZone }) });
    expect(planned.ok && new Date(planned.firstAt).toISOString()).toBe(first);
  });

  it.each([
    [{ at: '2026-11-30T12:00:00Z' }, '/at', 'is in the past: it is 2026-11-30T12:00:00.000Z now'],
    [{}, '', 'needs a time: "at" or "cron"'],
    [{ cron: '99 * * * *' }, '/cron', 'cannot be read: Invalid value for minute: 99'],
    [{ cron: 'every day' }, '/cron', 'cannot be read'],
    [{ cron: '2027-01-01T00:00:00' }, '/cron', 'cannot be read: it is a date'],
    [{ cron: '* * * * * * 2030' }, '/cron', 'cannot be read'],
    [{ cron: '0 0 30 2 *' }, '/cron', 'is never due'],
    [{ cron: '0 0 * * *', endAt: '2026-11-30T13:00:00Z' }, '/cron', 'is never due before 2026-11-30T13:00:00.000Z'],
    [{ cron: '* * * * * *' }, '/cron', 'is due every 1 s at times; 10 s is the least on this server'],
    [{ cron: '0,5 0 * * * *' }, '/cron', 'is due every 5 s at times'],
    [{ cron: '0 * * * *', timeZone: 'Mars/Olympus' }, '/timeZone', '"Mars/Olympus" is no time zone'],
    [{ cron: '0 * * * *', timeZone: '+01:00' }, '/timeZone', 'is no time zone'],
    [{ cron: '0 * * * *', endAt: '2026-11-30T11:00:00Z' }, '/endAt', 'is in the past'],
    [
      { cron: '0 * * * *', startAt: '2026-12-03T00:00:00Z', endAt: '2026-12-02T00:00:00Z' },
      '/endAt',
      'comes before "startAt"',
    ],
    [{ cron: '0 * * * *', startAt: '2026-13-45T00:00:00Z' }, '/startAt', 'is no point in time'],
  ])('refuses %j in words', (times, pointer, words) => {
    const planned = plan(times);
    expect(planned.ok ? [] : planned.issues).toEqual([{ pointer, message: expect.stringContaining(words) as string }]);
  });
});
