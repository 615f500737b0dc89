import { Json, Payload, success } from 'vcp-plugin';
import { addMonths, dateOf, floorDivide, weekdayOf } from './calendar';
import { Inputs } from './inputs';
import { interpret } from './local-time';
import { DAY_MS, Moment } from './moment';

/** How far two times are apart: exactly, and in the units of the calendar. */
export function difference(args: Json, inputs: Inputs): Payload {
  const from = inputs.moment('from', 'timeZone');
  const to = inputs.moment('to', 'timeZone');
  const isBack = to.ms < from.ms;
  const start = isBack ? to : from;
  // Both by the clocks of one place.
  const end = new Moment(isBack ? from.ms : to.ms, start.zone);
  const total = end.ms - start.ms;

  const months = wholeMonths(start, end);
  const afterMonths = shifted(start, months, 0);
  const days = wholeDays(start, months, end, afterMonths);
  const rest = end.ms - shifted(start, months, days);
  const calendar = Json.object()
    .set('years', <f64>(months / 12))
    .set('months', <f64>(months % 12))
    .set('days', <f64>days)
    .set('hours', <f64>(rest / 3600000))
    .set('minutes', <f64>((rest / 60000) % 60))
    .set('seconds', <f64>(rest % 60000) / 1000);
  const startDay = floorDivide(start.local, DAY_MS);
  const endDay = floorDivide(end.local, DAY_MS);
  const data = Json.object()
    .set('direction', isBack ? 'backward' : total == 0 ? 'none' : 'forward')
    .set('totalSeconds', <f64>total / 1000)
    .set('totalHours', rounded(<f64>total / 3600000))
    .set('calendarDays', <f64>(endDay - startDay))
    .set('weekdays', <f64>(weekdaysBefore(endDay) - weekdaysBefore(startDay)))
    .set('calendar', calendar)
    .set('from', from.toJson())
    .set('to', to.toJson());
  const words = spoken(calendar);
  return success(data).summary(`${words}${isBack ? ' back' : ''} from ${from.toString()} to ${to.toString()}`);
}

/** The start, so many months and then days later by the calendar and the clock. */
function shifted(start: Moment, months: i64, days: i64): i64 {
  if (months == 0 && days == 0) return start.ms;
  const day = addMonths(start.date, months).days + days;
  return interpret(day * DAY_MS + start.timeOfDay, start.zone).choose('compatible');
}

/** A month is whole when its day has come: from 31 October to 28 February are three months and 28 days. */
function wholeMonths(start: Moment, end: Moment): i64 {
  const from = start.date;
  // The last day that has come to the time of the start.
  const to = dateOf(end.date.days - (end.timeOfDay < start.timeOfDay ? 1 : 0));
  let months = <i64>(to.year - from.year) * 12 + (to.month - from.month) - (from.day > to.day ? 1 : 0);
  while (months > 0 && !fits(start, months, 0, end)) months--;
  return max(months, 0);
}

function wholeDays(start: Moment, months: i64, end: Moment, afterMonths: i64): i64 {
  const begin = new Moment(afterMonths, start.zone);
  let days = floorDivide(end.local, DAY_MS) - floorDivide(begin.local, DAY_MS) + 1;
  while (days > 0 && !fits(start, months, days, end)) days--;
  return max(days, 0);
}

/** Whether that much later is not behind the end, neither in time nor by the clocks. */
function fits(start: Moment, months: i64, days: i64, end: Moment): bool {
  const local = (addMonths(start.date, months).days + days) * DAY_MS + start.timeOfDay;
  return shifted(start, months, days) <= end.ms && local <= max(end.local, start.local);
}

/** Mondays to Fridays before a day, from an arbitrary begin. */
function weekdaysBefore(day: i64): i64 {
  const monday = day - (weekdayOf(day) - 1);
  return floorDivide(monday + 3, 7) * 5 + min(day - monday, 5);
}

function rounded(hours: f64): f64 {
  return Math.round(hours * 1e6) / 1e6;
}

const UNITS = ['years', 'months', 'days', 'hours', 'minutes', 'seconds'];

function spoken(calendar: Json): string {
  const parts = new Array<string>();
  for (let at = 0; at < UNITS.length; at++) {
    const count = calendar.getNumber(UNITS[at]);
    if (count == 0) continue;
    const text = count == Math.trunc(count) ? (<i64>count).toString() : count.toString();
    parts.push(`${text} ${count == 1 ? UNITS[at].substring(0, UNITS[at].length - 1) : UNITS[at]}`);
  }
  return parts.length == 0 ? 'no time' : parts.join(', ');
}
