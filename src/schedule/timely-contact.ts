import { dueTimesOf } from './due-times.ts';
import { localInstant } from './local-instant.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import { Timestamp } from '../protocol/timestamp.ts';

/** The times of a schedule, as `ScheduleRequest` has them. */
export type ContactTimes = { readonly at: string } | { readonly cron: string; readonly timeZone: string };

export type TimelyContact =
  | { readonly ok: true; readonly times: ContactTimes }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the field `timely_contact` of the instruction protocol: a time with its offset (RFC 3339), a local one such as
 * `2026-12-01-09:30`, or a cron expression; the latter two in the given zone. Whether a time has passed already is
 * judged when the schedule is made.
 */
export const scheduleFromTimelyContact = (text: string, timeZone: string): TimelyContact => {
  const trimmed = text.trim();
  const shown = JSON.stringify(trimmed.slice(0, 64).toWellFormed());
  if (!isTimeZone(timeZone)) return { ok: false, message: `"${timeZone.slice(0, 64)}" is no time zone` };
  if (Timestamp.safeParse(trimmed).success) {
    const instant = Date.parse(trimmed);
    return Number.isNaN(instant) ? notReal(shown) : { ok: true, times: { at: new Date(instant).toISOString() } };
  }
  const local = /^(\d{4})-(\d\d?)-(\d\d?)(?:-| +|T)(\d\d?):(\d\d)(?::(\d\d))?$/.exec(trimmed);
  if (local !== null) {
    const [year, month, day, hour, minute, second] = local.slice(1).map((part) => Number(part ?? 0)) as SixNumbers;
    const instant = localInstant({ year, month, day, hour, minute, second }, timeZone);
    return instant === null ? notReal(shown) : { ok: true, times: { at: new Date(instant).toISOString() } };
  }
  if (isCron(trimmed, timeZone)) return { ok: true, times: { cron: trimmed, timeZone } };
  return {
    ok: false,
    message: `timely_contact ${shown} is no time; write 2026-12-01-09:30, 2026-12-01T09:30:00+01:00, or a cron expression such as "30 9 * * MON-FRI"`,
  };
};

type SixNumbers = [number, number, number, number, number, number];

const notReal = (shown: string): TimelyContact => ({
  ok: false,
  message: `timely_contact ${shown} is a date or time that there is not`,
});

const isCron = (cron: string, timeZone: string): boolean => {
  if (cron.length > 128) return false;
  try {
    dueTimesOf({ at: null, cron, timeZone, startAt: null, endAt: null });
    return true;
  } catch {
    return false;
  }
};
