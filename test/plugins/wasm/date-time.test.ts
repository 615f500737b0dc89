// What DateTime computes, against Temporal, which has the same rules from elsewhere in this Node.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestInput, guestOf } from '../../support/run-guest.ts';

const run = guestOf(new URL('../../../plugins-wasm/DateTime/plugin.wasm', import.meta.url));

type Time = { time: string; timeZone: string; offset: string; weekday: string; utc: string };
type Payload<Data> = {
  status: string;
  data: Data;
  error?: { code: string; message: string; target: string };
  warnings?: { code: string; message: string }[];
};
const call = async <Data>(command: string, args: object) =>
  (await run(guestInput(command, { command, ...args }))) as Payload<Data>;

const zones = Intl.supportedValuesOf('timeZone');
const aliases = ['US/Pacific', 'Asia/Calcutta', 'Europe/Kiev', 'CET', 'EST5EDT', 'Etc/GMT+12', 'Asia/Saigon', 'GB'];
const anyZone = fc.constantFrom(...zones, ...aliases);
// Zones whose clocks change in unusual ways: by half an hour, by a whole day, on Fridays, at midnight, in the south.
const oddZone = fc.constantFrom(
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Jerusalem',
  'Africa/Cairo',
  'America/Santiago',
  'Asia/Gaza',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Europe/Dublin',
  'America/St_Johns',
  'Asia/Tehran',
  'Pacific/Chatham',
);
const someZone = fc.oneof(anyZone, oddZone);
const FIRST = Date.UTC(1900, 0, 2);
const LAST = Date.UTC(2098, 0, 1);
const seconds = fc.integer({ min: FIRST / 1_000, max: LAST / 1_000 });
/** Close to a change of the clocks, where it matters; anywhere in a zone without one. */
const nearChange = fc
  .tuple(someZone, seconds, fc.integer({ min: -2 * 86_400, max: 2 * 86_400 }))
  .map(([zone, at, shift]) => {
    const change = Temporal.Instant.fromEpochMilliseconds(at * 1_000)
      .toZonedDateTimeISO(zone)
      .getTimeZoneTransition('next');
    const base = change === null || change.epochMilliseconds > LAST ? at : change.epochMilliseconds / 1_000;
    return { zone, at: base + shift };
  });
const anywhere = fc.record({ zone: someZone, at: seconds });
const place = fc.oneof(nearChange, anywhere);

const zoned = ({ zone, at }: { zone: string; at: number }) =>
  Temporal.Instant.fromEpochMilliseconds(at * 1_000).toZonedDateTimeISO(zone);
const utcOf = (time: Temporal.ZonedDateTime) => time.toInstant().toString();

/** Null where the Temporal of this Node fails on its own: on a clock that was put back across midnight. */
const untilInYears = (from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): Temporal.Duration | null => {
  try {
    return from.until(to, { largestUnit: 'years' });
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('must agree')) return null;
    throw error;
  }
};

describe('a point in time', () => {
  it('is read from the clocks of any zone as Temporal does, with the next change of its clocks', () =>
    fc.assert(
      fc.asyncProperty(place, async (where) => {
        const expected = zoned(where);
        const { data } = await call<Time & Record<string, unknown>>('Describe', {
          time: utcOf(expected),
          timeZone: where.zone,
        });
        const date = expected.toPlainDate();
        const next = expected.getTimeZoneTransition('next');
        expect(data).toMatchObject({
          time: expected.toString({ timeZoneName: 'never', offset: 'never', fractionalSecondDigits: 0 }) + data.offset,
          offset: expected.offset,
          date: date.toString(),
          isoWeek: `${String(date.yearOfWeek).padStart(4, '0')}-W${String(date.weekOfYear).padStart(2, '0')}`,
          dayOfYear: date.dayOfYear,
          daysInMonth: date.daysInMonth,
          isLeapYear: date.inLeapYear,
          weekday: date.toLocaleString('en', { weekday: 'long' }),
          unixSeconds: where.at,
        });
        const nextUtc = (data['nextChange'] as { utc: string } | null)?.utc ?? null;
        // Beyond this, the rules by the moon of one zone are no longer in the table.
        if (next === null || next.year < 2_099) expect(nextUtc).toBe(next === null ? null : utcOf(next));
      }),
      { numRuns: 1_500 },
    ));

  it.each(zones)('keeps every rule of %s until 2098', async (timeZone) => {
    const { data } = await call<{ changes: { utc: string }[] }>('Changes', {
      timeZone,
      from: '1900-01-02T00:00Z',
      count: 500,
    });
    const expected: string[] = [];
    let time: Temporal.ZonedDateTime | null = Temporal.Instant.from('1900-01-02T00:00Z').toZonedDateTimeISO(timeZone);
    while ((time = time.getTimeZoneTransition('next')) !== null && time.year < 2_098) expected.push(utcOf(time));
    expect(data.changes.map(({ utc }) => utc).filter((utc) => utc < '2098')).toEqual(expected.slice(0, 500));
  });
});

it('reads clocks that were put forward or back as Temporal does, and says so', () =>
  fc.assert(
    fc.asyncProperty(
      place,
      fc.constantFrom('compatible', 'earlier', 'later', 'reject'),
      async (where, disambiguation) => {
        const local = zoned(where).toPlainDateTime();
        // The same minutes shown by the clocks of another offset fall into gaps, which those of the zone never show.
        const shown = local.add({ minutes: where.at % 3 === 0 ? 40 : 0 });
        const payload = await call<Time | null>('Describe', {
          time: shown.toString({ smallestUnit: 'second' }),
          timeZone: where.zone,
          disambiguation,
        });
        const { earlier, later } = {
          earlier: shown.toZonedDateTime(where.zone, { disambiguation: 'earlier' }),
          later: shown.toZonedDateTime(where.zone, { disambiguation: 'later' }),
        };
        const isUnclear = !earlier.equals(later);
        const isGap = !earlier.toPlainDateTime().equals(shown);
        if (isUnclear && disambiguation === 'reject') {
          expect(payload.error?.code).toBe(isGap ? 'DATETIME.IN_GAP' : 'DATETIME.AMBIGUOUS');
          return;
        }
        const expected = shown.toZonedDateTime(where.zone, { disambiguation: disambiguation as 'later' });
        expect(payload.data?.utc).toBe(utcOf(expected));
        const codes = payload.warnings?.map(({ code }) => code) ?? [];
        expect(codes).toEqual(isUnclear ? [isGap ? 'TIME_IN_GAP' : 'TIME_AMBIGUOUS'] : []);
      },
    ),
    { numRuns: 1_500 },
  ));

const small = fc.integer({ min: -40, max: 40 });

it('adds units of the calendar and exact ones as Temporal does', () =>
  fc.assert(
    fc.asyncProperty(
      place,
      fc.record({
        years: small,
        months: small,
        weeks: small,
        days: small,
        hours: small,
        minutes: small,
        seconds: small,
      }),
      async (where, units) => {
        const start = zoned(where);
        const { years, months, weeks, days, ...exact } = units;
        // Temporal takes one sign for all units of a duration, so that it is asked in steps.
        const plain = start
          .toPlainDateTime()
          .toPlainDate()
          .add({ months: Math.max(0, years * 12 + months) })
          .subtract({ months: Math.max(0, -(years * 12 + months)) })
          .add({ days: Math.max(0, weeks * 7 + days) })
          .subtract({ days: Math.max(0, -(weeks * 7 + days)) });
        const moved =
          years * 12 + months === 0 && weeks * 7 + days === 0
            ? start
            : plain.toPlainDateTime(start.toPlainTime()).toZonedDateTime(where.zone);
        const total = exact.hours * 3_600 + exact.minutes * 60 + exact.seconds;
        const expected = Temporal.Instant.fromEpochMilliseconds(moved.epochMilliseconds + total * 1_000);
        // The table begins in 1900, and has the changes by the moon until 2098.
        fc.pre([moved, expected].every(({ epochMilliseconds: at }) => at > FIRST && at < LAST));
        const { data } = await call<{ result: Time }>('Add', { time: utcOf(start), timeZone: where.zone, ...units });
        expect(data.result.utc).toBe(expected.toString());
      },
    ),
    { numRuns: 1_000 },
  ));

it('takes times apart as Temporal does', () =>
  fc.assert(
    fc.asyncProperty(place, fc.integer({ min: 0, max: 40 * 365 * 86_400 }), async (where, length) => {
      const from = zoned(where);
      const to = zoned({ zone: where.zone, at: Math.min(where.at + length, LAST / 1_000 - 1) });
      if (to.epochMilliseconds < from.epochMilliseconds) return;
      const expected = untilInYears(from, to);
      const { data } = await call<{ calendar: Temporal.DurationLike; totalSeconds: number }>('Difference', {
        from: utcOf(from),
        to: utcOf(to),
        timeZone: where.zone,
      });
      expect(data.totalSeconds).toBe((to.epochMilliseconds - from.epochMilliseconds) / 1_000);
      if (expected === null) {
        expect(utcOf(from.add(data.calendar))).toBe(utcOf(to));
        return;
      }
      const { years, months, days, hours, minutes, seconds: rest } = expected;
      expect(data.calendar).toEqual({ years, months, days, hours, minutes, seconds: rest });
    }),
    { numRuns: 1_000, examples: [[{ zone: 'America/St_Johns', at: 562_127_459 }, 1]] },
  ));

it.each([
  ['2026-07-10', '2026-07-13', 1],
  ['2026-07-11', '2026-07-12', 0],
  ['2026-07-06', '2026-08-03', 20],
  ['2026-07-12', '2026-07-06', 5],
])('counts the Mondays to Fridays from %s to before %s', async (from, to, weekdays) => {
  const { data } = await call<{ weekdays: number }>('Difference', { from, to, timeZone: 'UTC' });
  expect(data.weekdays).toBe(weekdays);
});

it.each([
  'x',
  '2026-02-29',
  '2026-13-01',
  '2026-07-12T24:00',
  '2026-07-12T10:60',
  '2026-07-12T10:00:00.',
  '2026-07-12T10:00+25:00',
  '26-07-12',
])('refuses the time %s', async (time) => {
  const { error } = await call('Describe', { time });
  expect(error).toMatchObject({ code: 'DATETIME.NO_TIME', target: 'time' });
});

it('suggests zones that a wrong name may mean', async () => {
  const { error } = await call('Convert', { time: 'now', to: ['New York', 'Nowhere/Nothing'] });
  expect(error).toMatchObject({ code: 'DATETIME.NO_SUCH_ZONE', target: 'to.0' });
  expect(error?.message).toContain('did you mean America/New_York');
});

it('takes now, the zone of the server, names in any case and offsets', async () => {
  const { data } = await call<Time & { times: Time[] }>('Convert', { to: ['asia/shanghai', '-03:30', 'utc'] });
  expect([data.time, data.timeZone]).toEqual(['2026-11-30T17:20:00+01:00', 'Europe/Berlin']);
  expect(data.times.map(({ time, timeZone }) => `${time} ${timeZone}`)).toEqual([
    '2026-12-01T00:20:00+08:00 Asia/Shanghai',
    '2026-11-30T12:50:00-03:30 -03:30',
    '2026-11-30T16:20:00Z UTC',
  ]);
});
