import { daysInMonth, daysOf } from './calendar';
import { NO_OFFSET, offsetOf } from './find-zone';
import { DAY_MS } from './moment';

/** A time as it was written: what clocks show, and the offset if one was said. */
export class WrittenTime {
  constructor(
    public readonly local: i64,
    public readonly offset: i32,
  ) {}

  get hasOffset(): bool {
    return this.offset != NO_OFFSET;
  }
}

/**
 * `2026-07-12`, `2026-07-12T10:00`, with seconds, a fraction (milliseconds count) and an offset or `Z`. Null when it is
 * none of these, or a day that the calendar does not have.
 */
export function parseTime(text: string): WrittenTime | null {
  const scan = new Scanner(text.trim());
  const year = scan.number(4);
  if (!scan.skip('-')) return null;
  const month = scan.number(2);
  if (!scan.skip('-')) return null;
  const day = scan.number(2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  let local = daysOf(year, month, day) * DAY_MS;
  if (scan.isDone) return new WrittenTime(local, NO_OFFSET);
  if (!scan.skip('T') && !scan.skip('t') && !scan.skip(' ')) return null;

  const hour = scan.number(2);
  if (!scan.skip(':')) return null;
  const minute = scan.number(2);
  const second = scan.skip(':') ? scan.number(2) : 0;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return null;
  local += (<i64>hour * 3600 + <i64>minute * 60 + second) * 1000;
  if (scan.skip('.')) {
    const fraction = scan.fraction();
    if (fraction < 0) return null;
    local += fraction;
  }
  const rest = scan.rest;
  if (rest == '') return new WrittenTime(local, NO_OFFSET);
  const offset = rest == 'Z' || rest == 'z' ? 0 : offsetOf(rest);
  return offset == NO_OFFSET ? null : new WrittenTime(local, offset);
}

class Scanner {
  private at: i32 = 0;

  constructor(private readonly text: string) {}

  get isDone(): bool {
    return this.at == this.text.length;
  }

  get rest(): string {
    return this.text.substring(this.at);
  }

  skip(character: string): bool {
    if (this.text.charAt(this.at) != character) return false;
    this.at++;
    return true;
  }

  /** So many digits; -1 when there are fewer. */
  number(digits: i32): i32 {
    let value = 0;
    for (let count = 0; count < digits; count++) {
      const digit = this.digit();
      if (digit < 0) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  /** Milliseconds of the digits behind a point; those beyond are dropped. */
  fraction(): i32 {
    let value = 0;
    let digits = 0;
    for (let digit = this.digit(); digit >= 0; digit = this.digit()) {
      if (digits < 3) value = value * 10 + digit;
      digits++;
    }
    if (digits == 0) return -1;
    return digits == 1 ? value * 100 : digits == 2 ? value * 10 : value;
  }

  private digit(): i32 {
    if (this.isDone) return -1;
    const digit = this.text.charCodeAt(this.at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    this.at++;
    return digit;
  }
}
