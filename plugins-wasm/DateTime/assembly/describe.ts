import { Json, Payload, success } from 'vcp-plugin';
import { dayOfYear, daysInMonth, floorDivide, isLeapYear, IsoWeek } from './calendar';
import { offsetText } from './find-zone';
import { Inputs } from './inputs';
import { DAY_MS, Moment, weekdayName } from './moment';
import { Transition, Zone } from './zone';

/** What a calendar tells of a time. */
export function describe(inputs: Inputs): Payload {
  const moment = inputs.moment('time', 'timeZone');
  const date = moment.date;
  const days = floorDivide(moment.local, DAY_MS);
  const week = new IsoWeek(days);
  const data = moment
    .toJson()
    .set('date', date.toString())
    .set('isoWeek', `${week.year.toString().padStart(4, '0')}-W${week.week.toString().padStart(2, '0')}`)
    .set('dayOfYear', dayOfYear(date))
    .set('quarter', (date.month + 2) / 3)
    .set('daysInMonth', daysInMonth(date.year, date.month))
    .set('isLeapYear', isLeapYear(date.year))
    .set('unixSeconds', <f64>floorDivide(moment.ms, 1000))
    .set('nextChange', changeJson(moment.zone, moment.zone.nextTransition(floorDivide(moment.ms, 1000))));
  return success(data).summary(`${weekdayName(days)}, ${moment.toString()}, week ${week.week}`);
}

/** The coming changes of a zone's clocks. */
export function changes(args: Json, inputs: Inputs): Payload {
  const moment = inputs.moment('from', 'timeZone');
  const zone = moment.zone;
  const list = Json.array();
  let at = floorDivide(moment.ms, 1000);
  for (let count = args.getInteger('count', 2); count > 0; count--) {
    const next = zone.nextTransition(at);
    if (next === null) break;
    list.push(changeJson(zone, next));
    at = next.at;
  }
  const data = Json.object().set('timeZone', zone.name).set('offset', offsetText(moment.offset)).set('changes', list);
  if (list.length == 0) return success(data).summary(`The clocks of ${zone.name} do not change any more`);
  return success(data).summary(`The clocks of ${zone.name} change next at ${list.at(0).getString('time')}`);
}

function changeJson(zone: Zone, change: Transition | null): Json {
  if (change === null) return Json.null();
  const size = change.after - change.before;
  return Json.object()
    .set('time', new Moment(change.at * 1000, zone).toString())
    .set('utc', new Moment(change.at * 1000, zone).toUtc())
    .set('offsetBefore', offsetText(change.before))
    .set('offsetAfter', offsetText(change.after))
    .set('clocks', size > 0 ? 'forward' : size < 0 ? 'back' : 'unchanged');
}
