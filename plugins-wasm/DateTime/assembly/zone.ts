import { dateOf, daysOf, modulo } from './calendar';
import { ZoneReader } from './zone-reader';

const HOUR: i64 = 3600;
const DAY: i64 = 86400;
/** 1900-01-01, from which the table counts. */
const START: i64 = -2208988800;

/** A change of the offset; seconds since 1970, and seconds east of Greenwich. */
export class Transition {
  constructor(
    public readonly at: i64,
    public readonly before: i32,
    public readonly after: i32,
  ) {}
}

class YearlyRule {
  constructor(
    public readonly day: i64,
    public readonly weekday: i64,
    public readonly time: i64,
    public readonly offset: i32,
  ) {}

  /** When the change comes in a year that begins in March, by the clock that was right before it. */
  localTime(year: i32): i64 {
    const first = daysOf(year, 3, 1) + this.day;
    // 1970-01-01 was a Thursday.
    const weekday = modulo(first + 4, 7);
    return (first + modulo(this.weekday - weekday, 7)) * DAY + this.time;
  }
}

/** A time zone of the IANA database, or one offset for ever. */
export class Zone {
  private first: i32 = 0;
  private readonly transitions: Array<Transition> = new Array<Transition>();
  private readonly yearly: Array<YearlyRule> = new Array<YearlyRule>();

  constructor(public readonly name: string) {}

  static fixed(offset: i32, name: string): Zone {
    const zone = new Zone(name);
    zone.first = offset;
    return zone;
  }

  /** Reads the rules from where they begin in the table. */
  static read(name: string, reader: ZoneReader): Zone {
    const zone = new Zone(name);
    const offsets = new Array<i32>();
    for (let count = reader.unsigned(); count > 0; count--) offsets.push(<i32>reader.signed());
    zone.first = offsets[0];
    let at = START;
    let before = zone.first;
    for (let count = reader.unsigned(); count > 0; count--) {
      const elapsed = reader.unsigned();
      at += (elapsed & 1) == 0 ? (elapsed / 2) * HOUR : elapsed / 2;
      const after = offsets[<i32>reader.unsigned()];
      zone.transitions.push(new Transition(at, before, after));
      before = after;
    }
    for (let count = reader.unsigned(); count > 0; count--) {
      const day = reader.unsigned();
      const weekday = reader.unsigned();
      const time = reader.unsigned();
      zone.yearly.push(new YearlyRule(day, weekday, time, offsets[<i32>reader.unsigned()]));
    }
    return zone;
  }

  offsetAt(seconds: i64): i32 {
    const last = this.previousTransition(seconds + 1);
    return last === null ? this.first : last.after;
  }

  /** The last change before a time; null when there was none. */
  previousTransition(seconds: i64): Transition | null {
    const count = this.transitions.length;
    const last = count > 0 ? this.transitions[count - 1] : null;
    if (last !== null && seconds > last.at && this.yearly.length > 0) {
      const year = marchYear(seconds);
      let found = last;
      for (let near = year - 1; near <= year + 1; near++) {
        for (let rule = 0; rule < 2; rule++) {
          const transition = this.yearlyTransition(rule, near);
          if (transition.at < seconds && transition.at > found.at) found = transition;
        }
      }
      return found;
    }
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) / 2;
      if (this.transitions[middle].at < seconds) low = middle + 1;
      else high = middle;
    }
    return low == 0 ? null : this.transitions[low - 1];
  }

  /** The first change after a time; null when there will be none. */
  nextTransition(seconds: i64): Transition | null {
    const count = this.transitions.length;
    for (let at = 0; at < count; at++) if (this.transitions[at].at > seconds) return this.transitions[at];
    if (this.yearly.length == 0) return null;
    const lastAt = this.transitions[count - 1].at;
    let found: Transition | null = null;
    const year = marchYear(max(seconds, lastAt));
    for (let near = year - 1; near <= year + 1; near++) {
      for (let rule = 0; rule < 2; rule++) {
        const transition = this.yearlyTransition(rule, near);
        if (transition.at <= seconds || transition.at <= lastAt) continue;
        if (found === null || transition.at < found.at) found = transition;
      }
    }
    return found;
  }

  private yearlyTransition(rule: i32, year: i32): Transition {
    const before = this.yearly[1 - rule].offset;
    return new Transition(this.yearly[rule].localTime(year) - before, before, this.yearly[rule].offset);
  }
}

function marchYear(seconds: i64): i32 {
  const date = dateOf((seconds - modulo(seconds, DAY)) / DAY);
  return date.month < 3 ? date.year - 1 : date.year;
}
