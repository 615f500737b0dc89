import { Json } from 'vcp-plugin';
import { CalendarDate, dateOf, floorDivide, modulo, twoDigits, weekdayOf } from './calendar';
import { offsetText } from './find-zone';
import { Zone } from './zone';

export const DAY_MS: i64 = 86400000;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function weekdayName(days: i64): string {
  return WEEKDAYS[weekdayOf(days) - 1];
}

/** A point in time, and the zone whose clocks it is read from. Milliseconds since 1970. */
export class Moment {
  readonly offset: i32;

  constructor(
    public readonly ms: i64,
    public readonly zone: Zone,
  ) {
    this.offset = zone.offsetAt(floorDivide(ms, 1000));
  }

  /** What the clocks show, as milliseconds since 1970-01-01T00:00 by the same clocks. */
  get local(): i64 {
    return this.ms + <i64>this.offset * 1000;
  }

  get date(): CalendarDate {
    return dateOf(floorDivide(this.local, DAY_MS));
  }

  get timeOfDay(): i64 {
    return modulo(this.local, DAY_MS);
  }

  /** RFC 3339, to the minute of the offset. */
  toString(): string {
    return localText(this.local) + (this.zone.name == 'UTC' ? 'Z' : offsetText(this.offset));
  }

  toUtc(): string {
    return localText(this.ms) + 'Z';
  }

  toJson(): Json {
    return Json.object()
      .set('time', this.toString())
      .set('timeZone', this.zone.name)
      .set('offset', offsetText(this.offset))
      .set('weekday', weekdayName(floorDivide(this.local, DAY_MS)))
      .set('utc', this.toUtc());
  }
}

/** `2026-07-12T10:00:00`, with milliseconds where there are some. */
export function localText(local: i64): string {
  const time = modulo(local, DAY_MS);
  const seconds = time / 1000;
  const fraction = time % 1000 == 0 ? '' : '.' + (time % 1000).toString().padStart(3, '0');
  const clock = `${twoDigits(<i32>(seconds / 3600))}:${twoDigits(<i32>((seconds / 60) % 60))}:${twoDigits(<i32>(seconds % 60))}`;
  return `${dateOf(floorDivide(local, DAY_MS)).toString()}T${clock}${fraction}`;
}
