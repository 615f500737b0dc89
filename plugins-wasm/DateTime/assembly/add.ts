import { failure, Json, Payload, success } from 'vcp-plugin';
import { addMonths, CalendarDate, daysOf, floorDivide } from './calendar';
import { NO_OFFSET } from './find-zone';
import { Inputs } from './inputs';
import { DAY_MS, Moment } from './moment';
import { WrittenTime } from './parse-time';

const FIRST_DAY: i64 = daysOf(1, 1, 1);
const LAST_DAY: i64 = daysOf(9999, 12, 31);

/**
 * Adds calendar units by the calendar, years and months first, then the exact ones: a day later is the same time of the
 * clock, 24 hours later are 24 hours.
 */
export function add(args: Json, inputs: Inputs): Payload {
  const start = inputs.moment('time', 'timeZone');
  const months = whole(args, 'years') * 12 + whole(args, 'months');
  const days = whole(args, 'weeks') * 7 + whole(args, 'days');
  const exact = (whole(args, 'hours') * 3600 + whole(args, 'minutes') * 60 + whole(args, 'seconds')) * 1000;
  let moment = start;
  if (months != 0 || days != 0) {
    const date: CalendarDate = addMonths(start.date, months);
    const day = date.days + days;
    if (day < FIRST_DAY || day > LAST_DAY) return outOfRange();
    moment = inputs.placed(new WrittenTime(day * DAY_MS + start.timeOfDay, NO_OFFSET), start.zone, 'time');
  }
  const ms = moment.ms + exact;
  const result = new Moment(ms, start.zone);
  const endDay = floorDivide(result.local, DAY_MS);
  if (endDay < FIRST_DAY || endDay > LAST_DAY) return outOfRange();
  const data = Json.object().set('start', start.toJson()).set('result', result.toJson());
  return success(data).summary(`${start.toString()} becomes ${result.toString()}`);
}

function whole(args: Json, key: string): i64 {
  return <i64>args.getNumber(key);
}

function outOfRange(): Payload {
  return failure('DATETIME.OUT_OF_RANGE', 'the result is not within the years 1 to 9999; add less');
}
