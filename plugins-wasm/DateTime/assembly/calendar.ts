// The Gregorian calendar, carried backwards beyond its invention as ISO 8601 does. Days are counted from 1970-01-01.

export class CalendarDate {
  constructor(
    public readonly year: i32,
    public readonly month: i32,
    public readonly day: i32,
  ) {}

  get days(): i64 {
    return daysOf(this.year, this.month, this.day);
  }

  toString(): string {
    return `${this.year.toString().padStart(4, '0')}-${twoDigits(this.month)}-${twoDigits(this.day)}`;
  }
}

const DAYS_IN_400_YEARS: i64 = 146097;
/** From the first of March of the year 0, where the years of this reckoning begin, to 1970. */
const EPOCH: i64 = 719468;

/** Years that begin in March have their leap day last; five of their months have 153 days. */
export function daysOf(year: i32, month: i32, day: i32): i64 {
  const marchYear: i64 = month < 3 ? year - 1 : year;
  const monthOfYear: i64 = (month + 9) % 12;
  const cycle = floorDivide(marchYear, 400);
  const yearOfCycle = marchYear - cycle * 400;
  const dayOfYear = (153 * monthOfYear + 2) / 5 + day - 1;
  return cycle * DAYS_IN_400_YEARS + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - EPOCH;
}

export function dateOf(days: i64): CalendarDate {
  const shifted = days + EPOCH;
  const cycle = floorDivide(shifted, DAYS_IN_400_YEARS);
  const dayOfCycle = shifted - cycle * DAYS_IN_400_YEARS;
  // The days that are there beyond 365 a year: one each 4 years, none each 100, one at the end of the 400.
  const yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146096) / 365;
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
  const monthOfYear = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthOfYear + 2) / 5 + 1;
  const month = monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9;
  const year = cycle * 400 + yearOfCycle + (month < 3 ? 1 : 0);
  return new CalendarDate(<i32>year, <i32>month, <i32>day);
}

export function isLeapYear(year: i32): bool {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

export function daysInMonth(year: i32, month: i32): i32 {
  if (month == 2) return isLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** 1 is Monday, 7 Sunday. */
export function weekdayOf(days: i64): i32 {
  return <i32>(modulo(days + 3, 7) + 1);
}

export function dayOfYear(date: CalendarDate): i32 {
  return <i32>(date.days - daysOf(date.year, 1, 1)) + 1;
}

/** The week of ISO 8601: it belongs to the year in which its Thursday lies. */
export class IsoWeek {
  readonly year: i32;
  readonly week: i32;

  constructor(days: i64) {
    const thursday = days - weekdayOf(days) + 4;
    const year = dateOf(thursday).year;
    this.year = year;
    this.week = <i32>((thursday - daysOf(year, 1, 1)) / 7) + 1;
  }
}

/** So many months later; a day that the month does not have becomes its last. */
export function addMonths(date: CalendarDate, months: i64): CalendarDate {
  const total = <i64>date.year * 12 + (date.month - 1) + months;
  const year = <i32>floorDivide(total, 12);
  const month = <i32>modulo(total, 12) + 1;
  return new CalendarDate(year, month, min(date.day, daysInMonth(year, month)));
}

export function floorDivide(value: i64, by: i64): i64 {
  const quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

export function modulo(value: i64, by: i64): i64 {
  return value - floorDivide(value, by) * by;
}

export function twoDigits(value: i32): string {
  return value.toString().padStart(2, '0');
}
