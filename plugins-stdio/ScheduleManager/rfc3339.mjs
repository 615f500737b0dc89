const SHAPE = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const MAX_LENGTH_CHARACTERS = 64;
const SECONDS_PER_DAY = 86_400;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Reads an RFC 3339 date-time strictly: real calendar dates, a mandatory offset, any number of fraction digits.
 * A leap second is accepted where one can be: 23:59:60 UTC on the last day of a month (RFC 3339 §5.7, appendix D).
 * Returns `{ instant }` for `compareInstants`, or `{ fault }`, a sentence part saying what is wrong.
 */
export function parseRfc3339(text) {
  if (text.length > MAX_LENGTH_CHARACTERS) return { fault: `it is longer than ${MAX_LENGTH_CHARACTERS} characters` };
  const match = SHAPE.exec(text);
  if (!match) return { fault: 'it does not read YYYY-MM-DDThh:mm:ss followed by Z or an offset such as +08:00' };

  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const [fraction = '', sign, offsetHourText = '0', offsetMinuteText = '0'] = match.slice(7);
  const offsetHour = Number(offsetHourText);
  const offsetMinute = Number(offsetMinuteText);

  if (month < 1 || month > 12) return { fault: `month ${match[2]} does not exist` };
  if (day < 1 || day > daysInMonth(year, month)) {
    return { fault: `${MONTHS[month - 1]} ${match[1]} has no day ${match[3]}` };
  }
  if (hour > 23) return { fault: `hour ${match[4]} is not within 00 to 23` };
  if (minute > 59) return { fault: `minute ${match[5]} is not within 00 to 59` };
  if (second > 60) return { fault: `second ${match[6]} is not within 00 to 59` };
  if (offsetHour > 23 || offsetMinute > 59) return { fault: 'its offset is not within -23:59 to +23:59' };

  const isLeapSecond = second === 60;
  const offsetSeconds = (sign === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60;
  const seconds =
    daysSinceEpoch(year, month, day) * SECONDS_PER_DAY +
    hour * 3600 +
    minute * 60 +
    (isLeapSecond ? 59 : second) -
    offsetSeconds;
  if (isLeapSecond && !endsUtcMonth(seconds)) {
    return { fault: 'second 60 exists only as a leap second, at 23:59:60 UTC on the last day of a month' };
  }
  return { instant: { seconds, isLeapSecond, fraction: fraction.replace(/0+$/, '') } };
}

/** Orders instants in time; a leap second comes after 23:59:59 and before 00:00:00 of the next day. */
export function compareInstants(a, b) {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  if (a.isLeapSecond !== b.isLeapSecond) return a.isLeapSecond ? 1 : -1;
  // Digits after the point, without trailing zeros, order as text.
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}

function daysInMonth(year, month) {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function daysSinceEpoch(year, month, day) {
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000 / SECONDS_PER_DAY;
}

function endsUtcMonth(seconds) {
  const next = new Date((seconds + 1) * 1000);
  return (seconds + 1) % SECONDS_PER_DAY === 0 && next.getUTCDate() === 1;
}
