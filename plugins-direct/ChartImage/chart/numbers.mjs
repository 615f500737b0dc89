import { formatLocale, precisionFixed, precisionPrefix } from 'd3-format';

const { format, formatPrefix } = formatLocale({ decimal: '.', thousands: ',', grouping: [3], currency: ['', ''] });

/** From here on ticks are written as 1.2M, and below the other end as powers of ten. */
const LARGE = 1e6;
const SMALL = 1e-4;

/** How the ticks of a linear axis are written, alike for all of them. */
export const tickFormat = (ticks, unit) => {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest || 1;
  if (largest >= 1e16 || (largest > 0 && largest < SMALL)) return (value) => (value === 0 ? '0' : exponent(value));
  if (largest >= LARGE) {
    const write = formatPrefix(`,.${precisionPrefix(step, largest)}`, largest);
    return (value) => (value === 0 ? '0' : prefixOf(write(value), unit));
  }
  return format(`,.${Math.min(precisionFixed(step), 12)}f`);
};

/** One number by itself, as a data label: five significant digits are more than a picture shows. */
export const shortNumber = (value, unit) => {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e16 || size < SMALL) return exponent(value);
  if (size >= LARGE) return prefixOf(format('.4~s')(value), unit);
  return format(size >= 1_000 ? ',.0f' : ',.4~r')(value);
};

/** 2.5e−7: at most four significant digits, and a minus as wide as the others. */
export const exponent = (value) => format('.3~e')(value).replace('e+', 'e').replace('e-', 'e−');

/** A thousand million is G before a unit (GHz), and B of anything else. */
const prefixOf = (text, unit) => (unit === null ? text.replace('G', 'B') : text);
