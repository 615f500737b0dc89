import { scaleBand, scaleLinear, scaleLog, scaleUtc } from 'd3-scale';
import { format } from 'd3-format';
import { exponent, tickFormat } from './numbers.mjs';
import { timeTickFormat } from './times.mjs';

/** Pixels that one tick of a number axis should have to itself. */
const VERTICAL_SPACE = 52;
const HORIZONTAL_SPACE = 96;
/** Below this share of the largest value, the smallest is near enough to zero to show zero as well. */
const NEAR_ZERO = 0.35;
/** What lies nearer together than this is drawn as equal: finer ticks are beyond a double's reach. */
const SMALLEST_SPAN = 1e-100;

/** A scale of numbers or times that holds `extent`, with ticks for that many pixels. */
export const valueAxis = ({ type, log, unit }, [low, high], { pixels, isVertical, fromZero }) => {
  const count = Math.max(2, Math.floor(pixels / (isVertical ? VERTICAL_SPACE : HORIZONTAL_SPACE)));
  if (type === 'time') {
    const [start, end] = low === high ? [low - 43_200_000, high + 43_200_000] : [low, high];
    const scale = scaleUtc().domain([start, end]);
    const ticks = scale.ticks(count);
    const write = timeTickFormat(ticks);
    return { scale, ticks: ticks.map((value, index) => ({ value, text: write(value, index) })) };
  }
  if (log) return logAxis(low, high, count);
  const scale = scaleLinear()
    .domain(roomFor(low, high, fromZero))
    .nice(count);
  const values = scale.ticks(count);
  const write = tickFormat(values, unit);
  return { scale, ticks: values.map((value) => ({ value, text: write(value) })) };
};

const roomFor = (low, high, fromZero) => {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low < Math.max(size * 1e-12, SMALLEST_SPAN)) {
    if (size < SMALLEST_SPAN) return [0, 1];
    return fromZero ? [Math.min(0, low), Math.max(0, high)] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  }
  if (fromZero || (low > 0 && low < high * NEAR_ZERO)) return [Math.min(0, low), Math.max(0, high)];
  if (high < 0 && high > low * NEAR_ZERO) return [low, 0];
  return [low, high];
};

const logAxis = (low, high, count) => {
  const scale = scaleLog()
    .domain(low === high ? [low / 10, high * 10] : [low, high])
    .nice();
  const [start, end] = scale.domain();
  const decades = Math.log10(end / start);
  const write = start >= 1e-4 && end < 1e6 ? format(',~r') : exponent;
  // Between powers of ten only where there are few of them.
  const between = decades <= 1.5 ? [1, 2, 3, 5] : decades <= 3 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(count, 2)));
  const ticks = [];
  for (let power = Math.floor(Math.log10(start) + 1e-9); power <= Math.ceil(Math.log10(end) - 1e-9); power += 1) {
    if ((power - Math.floor(Math.log10(start) + 1e-9)) % every !== 0) continue;
    for (const factor of between) {
      const value = Number(`${factor}e${power}`);
      if (value >= start * 0.999_999 && value <= end * 1.000_001) ticks.push({ value, text: write(value) });
    }
  }
  return { scale, ticks };
};

/** One place for each category. */
export const bandAxis = (categories) => ({
  scale: scaleBand()
    .domain(categories.map((_, index) => index))
    .paddingInner(0.28)
    .paddingOuter(0.14),
  categories,
});
