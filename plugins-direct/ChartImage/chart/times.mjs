import { utcFormat } from 'd3-time-format';

const DAY_MS = 86_400_000;
const year = utcFormat('%Y');
const month = utcFormat('%Y-%m');
const date = utcFormat('%Y-%m-%d');
const monthDay = utcFormat('%m-%d');
const minute = utcFormat('%H:%M');
const second = utcFormat('%H:%M:%S');
const fraction = utcFormat('%H:%M:%S.%L');

/** Ticks of time, written in digits that read alike in every language; the day stands where it begins. */
export const timeTickFormat = (ticks) => {
  const all = (holds) => ticks.every((tick) => holds(tick));
  if (all((tick) => tick.getTime() % DAY_MS === 0)) {
    if (all((tick) => tick.getUTCDate() === 1))
      return all((tick) => tick.getUTCMonth() === 0) && ticks.length > 1 ? year : month;
    return (tick, index) => (index === 0 || year(tick) !== year(ticks[index - 1]) ? date(tick) : monthDay(tick));
  }
  const clock = all((tick) => tick.getTime() % 60_000 === 0)
    ? minute
    : all((tick) => tick.getTime() % 1_000 === 0)
      ? second
      : fraction;
  return (tick, index) =>
    index === 0 || date(tick) !== date(ticks[index - 1]) ? `${monthDay(tick)} ${clock(tick)}` : clock(tick);
};

/** A date or an RFC 3339 date-time as milliseconds since 1970, or null. A time without an offset says too little. */
export const parseTime = (text) => {
  const shape = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2}))?)?$/.exec(
    text,
  );
  if (shape === null) return null;
  const [, years, months, days = '01'] = shape;
  const day = new Date(`${years}-${months}-${days}T00:00:00Z`);
  // The platform would take 30 February for 2 March.
  if (Number.isNaN(day.getTime()) || day.getUTCDate() !== Number(days)) return null;
  const time = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(time) ? null : time;
};
