import type { Issue } from '../lib/issue.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Limits } from '../lib/limits.ts';
import type { ScheduleRequest } from '../protocol/schedule.ts';
import { dueTimesOf, type DueTimes, type Timing } from './due-times.ts';
import { isTimeZone } from '../lib/time-zone.ts';

/** When a new schedule is due, and the first time of it. */
export type PlannedSchedule =
  | { readonly ok: true; readonly timing: Timing; readonly firstAt: number }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export type PlanningRules = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The zone of a `cron` that names none. */
  readonly timeZone: string;
  readonly limits: Pick<Limits, 'shortestScheduleMs'>;
};

type Times = Pick<ScheduleRequest, 'at' | 'cron' | 'timeZone' | 'startAt' | 'endAt'>;

/** Reads the times that somebody asks for; what cannot be, or would never be due, is refused in words. */
export const planSchedule = (times: Times, rules: PlanningRules): PlannedSchedule => {
  const { now } = rules;
  const instants = { at: instantOf(times.at), startAt: instantOf(times.startAt), endAt: instantOf(times.endAt) };
  for (const [name, instant] of Object.entries(instants))
    if (Number.isNaN(instant)) return refused(`/${name}`, 'is no point in time that can be reached');
  const { at, startAt, endAt } = instants;
  if (times.cron === undefined) {
    if (at === null) return refused('', 'needs a time: "at" or "cron"');
    if (at <= now) return refused('/at', `is in the past: it is ${iso(now)} now`);
    return { ok: true, timing: { at, cron: null, timeZone: null, startAt: null, endAt: null }, firstAt: at };
  }
  const timeZone = times.timeZone ?? rules.timeZone;
  if (!isTimeZone(timeZone))
    return refused('/timeZone', `"${timeZone}" is no time zone; write one such as Europe/Berlin or Asia/Shanghai`);
  if (endAt !== null && endAt <= now) return refused('/endAt', `is in the past: it is ${iso(now)} now`);
  if (endAt !== null && startAt !== null && endAt < startAt) return refused('/endAt', 'comes before "startAt"');
  const timing: Timing = { at: null, cron: times.cron.trim(), timeZone, startAt, endAt };
  const read = readCron(timing);
  if (typeof read === 'string') return refused('/cron', read);
  const firstAt = read.after(now);
  if (firstAt === null) return refused('/cron', `is never due${endAt === null ? '' : ` before ${iso(endAt)}`}`);
  const gap = shortestGap(read, firstAt);
  const { shortestScheduleMs } = rules.limits;
  if (gap < shortestScheduleMs)
    return refused(
      '/cron',
      `is due every ${gap / 1_000} s at times; ${shortestScheduleMs / 1_000} s is the least on this server`,
    );
  return { ok: true, timing, firstAt };
};

const refused = (pointer: string, message: string): PlannedSchedule => ({ ok: false, issues: [{ pointer, message }] });

const iso = (time: number): string => new Date(time).toISOString();

/** NaN for times that no date can be of, such as the thirtieth of February. */
const instantOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

/** The times, or what is wrong with the pattern. */
const readCron = (timing: Timing): DueTimes | string => {
  try {
    return dueTimesOf(timing);
  } catch (error) {
    const reason = messageOf(error).replace(/^CronPattern: /, '');
    return `cannot be read: ${reason}; write "minute hour day month weekday", such as "30 9 * * MON-FRI"`;
  }
};

/** How many due times are looked at: as many as show how often a pattern runs when it runs. */
const LOOKED_AT = 100;

const shortestGap = (times: DueTimes, firstAt: number): number => {
  let shortest = Infinity;
  let last = firstAt;
  for (let count = 1; count < LOOKED_AT; count += 1) {
    const next = times.after(last);
    if (next === null) break;
    shortest = Math.min(shortest, next - last);
    last = next;
  }
  return shortest;
};
