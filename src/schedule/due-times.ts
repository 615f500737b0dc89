import { Cron } from 'croner';
import type { ScheduleDefinition } from '../ports/schedule-store.ts';

/** When a schedule is due. Times are milliseconds since the epoch. */
export type DueTimes = {
  /** The first due time after `time`; null when there is none. */
  after(time: number): number | null;
  /** The last due time at or before `time`; null when there is none. */
  upTo(time: number): number | null;
};

export type Timing = Pick<ScheduleDefinition, 'at' | 'cron' | 'timeZone' | 'startAt' | 'endAt'>;

/**
 * The due times of a schedule. A `cron` follows the clocks of its zone. When they go forward, a fixed time (no `*` among
 * second, minute and hour) that they leave out is due at the moment of the change; when they go back, it is due the first
 * time only. What has a `*` there goes by time as it passes: hours that are left out are not there, repeated ones are twice.
 * Raises an Error when the pattern or the zone cannot be read.
 */
export const dueTimesOf = (timing: Timing): DueTimes => {
  const { at, cron, timeZone, startAt, endAt } = timing;
  if (cron === null) {
    return {
      after: (time) => (at !== null && at > time ? at : null),
      upTo: (time) => (at !== null && at <= time ? at : null),
    };
  }
  const pattern = readPattern(cron, timeZone ?? 'UTC');
  const within = (date: Date | null | undefined): number | null => {
    const time = date?.getTime();
    if (time === undefined || (endAt !== null && time > endAt) || (startAt !== null && time < startAt)) return null;
    return time;
  };
  return {
    after: (time) => within(pattern.nextRun(new Date(startAt === null ? time : Math.max(time, startAt - 1)))),
    upTo: (time) => {
      // The library looks before a time, in whole seconds.
      const before = Math.floor((endAt === null ? time : Math.min(time, endAt)) / SECOND) * SECOND + SECOND;
      return within(pattern.previousRuns(1, new Date(before))[0]);
    },
  };
};

const SECOND = 1_000;

/** Without `paused` the library would set a timer of its own. */
const readPattern = (cron: string, timeZone: string): Cron => {
  // It reads dates too, which are no series.
  if (/^\s*\d{4}-/.test(cron)) throw new Error('it is a date');
  return new Cron(cron, { timezone: timeZone, paused: true, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' });
};
