import { describe, expect, it } from 'vitest';
import { dueTimesOf, type Timing } from '../../../src/schedule/due-times.ts';

const timing = (cron: string, timeZone: string, more: Partial<Timing> = {}): Timing => ({
  at: null,
  cron,
  timeZone,
  startAt: null,
  endAt: null,
  ...more,
});

/** The due times after an instant, without seconds, which are 0 in all of these. */
const following = (from: string, count: number, given: Timing): string[] => {
  const times = dueTimesOf(given);
  const found: string[] = [];
  for (let time = times.after(Date.parse(from)); time !== null && found.length < count; time = times.after(time))
    found.push(new Date(time).toISOString().slice(0, 16));
  return found;
};

describe('due times where clocks go forward', () => {
  // Berlin leaves 02:00 to 03:00 out on 29 March (at 01:00 UTC), St John's on 8 March (at 05:30 UTC); Lord Howe Island
  // moves by half an hour only: 02:00 to 02:30 on 4 October (at 15:30 UTC on the 3rd).
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T00:00:00Z', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
    ['Europe/Berlin', '0,30 2 * * *', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-30T00:00', '03-30T00:30']],
    ['Europe/Berlin', '30 2,3 * * *', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-29T01:30', '03-30T00:30']],
    ['America/St_Johns', '30 2 * * *', '2026-03-07T00:00:00Z', ['03-07T06:00', '03-08T05:30', '03-09T05:00']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T15:00:00Z', ['10-02T15:45', '10-03T15:30', '10-04T15:15']],
  ])('a fixed time that is left out in %s is due at the moment of the change: %s', (zone, cron, from, expected) => {
    expect(following(from, 3, timing(cron, zone))).toEqual(expected.map((time) => `2026-${time}`));
  });

  it('a pattern with * there goes by time as it passes', () => {
    const quarters = following('2026-03-29T00:20:00Z', 4, timing('*/15 * * * *', 'Europe/Berlin'));
    expect(quarters.map((time) => time.slice(11))).toEqual(['00:30', '00:45', '01:00', '01:15']);
    // There is no hour from 2 to 3 on that day.
    expect(following('2026-03-28T12:00:00Z', 1, timing('*/30 2 * * *', 'Europe/Berlin'))).toEqual(['2026-03-30T00:00']);
    expect(following('2026-10-03T15:10:00Z', 2, timing('*/20 * * * *', 'Australia/Lord_Howe'))).toEqual([
      '2026-10-03T15:40',
      '2026-10-03T16:00',
    ]);
  });
});

describe('due times where clocks go back', () => {
  // Berlin has 02:00 to 03:00 twice on 25 October (again from 01:00 UTC), St John's 01:00 to 02:00 on 1 November (again
  // from 04:30 UTC), Lord Howe Island 01:30 to 02:00 on 5 April (again from 15:00 UTC on the 4th).
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00:00Z', ['10-25T00:30', '10-26T01:30', '10-27T01:30']],
    ['Europe/Berlin', '0,30 2 * * *', '2026-10-24T12:00:00Z', ['10-25T00:00', '10-25T00:30', '10-26T01:00']],
    ['America/St_Johns', '30 1 * * *', '2026-10-31T12:00:00Z', ['11-01T04:00', '11-02T05:00', '11-03T05:00']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00:00Z', ['04-04T14:45', '04-05T15:15', '04-06T15:15']],
  ])('a fixed time that comes twice in %s is due the first time only: %s', (zone, cron, from, expected) => {
    expect(following(from, 3, timing(cron, zone))).toEqual(expected.map((time) => `2026-${time}`));
  });

  it('a pattern with * there goes by time as it passes', () => {
    const halves = following('2026-10-24T12:00:00Z', 5, timing('*/30 2 * * *', 'Europe/Berlin'));
    expect(halves.map((time) => time.slice(5))).toEqual([
      '10-25T00:00',
      '10-25T00:30',
      '10-25T01:00',
      '10-25T01:30',
      '10-26T01:00',
    ]);
    const tens = following('2026-04-04T14:40:00Z', 4, timing('*/10 * * * *', 'Australia/Lord_Howe'));
    expect(tens.map((time) => time.slice(11))).toEqual(['14:50', '15:00', '15:10', '15:20']);
  });
});

describe('due times', () => {
  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-27T00:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-23T00:00:00Z'],
    ['*/7 * * * *', 'America/St_Johns', '2026-03-08T04:00:00Z'],
    ['15,45 1,2 * * *', 'Australia/Lord_Howe', '2026-04-03T00:00:00Z'],
    ['*/20 * * * * *', 'UTC', '2026-12-31T23:59:00Z'],
    ['0 12 29 2 *', 'Asia/Shanghai', '2026-01-01T00:00:00Z'],
  ])('are the same looked at from behind: %s in %s', (cron, zone, from) => {
    const times = dueTimesOf(timing(cron, zone));
    let last = Date.parse(from);
    for (let count = 0; count < 20; count += 1) {
      const next = times.after(last);
      if (next === null) break;
      expect(times.upTo(next)).toBe(next);
      expect(times.upTo(next + 500)).toBe(next);
      if (count > 0) expect(times.upTo(next - 1)).toBe(last);
      last = next;
    }
  });

  it('keep within start and end, both included', () => {
    const startAt = Date.parse('2026-11-30T14:00:00Z');
    const endAt = Date.parse('2026-11-30T16:00:00Z');
    const given = timing('0 * * * *', 'UTC', { startAt, endAt });
    expect(following('2026-11-30T00:00:00Z', 9, given).map((time) => time.slice(11))).toEqual([
      '14:00',
      '15:00',
      '16:00',
    ]);
    const times = dueTimesOf(given);
    expect([times.upTo(startAt - 1), times.upTo(startAt), times.upTo(endAt + 9_999_999)]).toEqual([
      null,
      startAt,
      endAt,
    ]);
  });

  it('of a single time are that one', () => {
    const times = dueTimesOf({ at: 1_000, cron: null, timeZone: null, startAt: null, endAt: null });
    expect([times.after(999), times.after(1_000), times.upTo(999), times.upTo(1_000)]).toEqual([
      1_000,
      null,
      null,
      1_000,
    ]);
  });

  it('are none of a date that never comes', () => {
    expect(dueTimesOf(timing('0 0 30 2 *', 'UTC')).after(0)).toBeNull();
  });
});
