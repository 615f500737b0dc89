import { line as linePath } from 'd3-shape';
import { downsample } from './downsample.mjs';
import { element, number } from './svg.mjs';
import { seriesStyle } from './theme.mjs';

/** Points a pixel that a line needs at most: more of them draw the same pixels. */
const POINTS_PER_PIXEL = 2;
/** Up to so many points of a line are marked one by one. */
const MARKED_POINTS = 40;
/** From here on points are small squares: other shapes could not be told apart, and take longer to fill. */
const DENSE_POINTS = 2_000;

/** What a kind of chart puts into its plot: SVG, places for data labels, and how many points were left out. */
export const drawMarks = (chart, layout, theme) =>
  ({ line: drawLines, bar: drawBars, scatter: drawPoints })[chart.kind](chart, layout, theme);

const drawLines = (chart, { plot, horizontal, vertical }, theme) => {
  const xOf = horizontal.categories
    ? (x) => horizontal.scale(x) + horizontal.scale.bandwidth() / 2
    : (x) => horizontal.scale(x);
  const most = Math.max(100, Math.floor((plot.right - plot.left) * POINTS_PER_PIXEL));
  const svg = [];
  const labels = [];
  let drawn = 0;
  for (const [index, { points }] of chart.series.entries()) {
    const style = seriesStyle(theme, index);
    for (const part of unbroken(points)) {
      const kept = downsample(part, Math.max(3, Math.floor((most * part.length) / points.length)));
      drawn += kept.length;
      const places = kept.map(({ x, y }) => [xOf(x), vertical.scale(y)]);
      if (places.length > 1) {
        const line = { fill: 'none', stroke: style.color, 'stroke-width': 2.25, 'stroke-dasharray': style.dashes };
        svg.push(
          element('path', { d: linePath()(places), ...line, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' }),
        );
      }
      if (places.length === 1 || points.length <= MARKED_POINTS)
        for (const [x, y] of places) svg.push(mark(style, x, y, 3.5, theme.background));
      for (const [position, { y }] of kept.entries())
        labels.push({
          value: y,
          x: places[position][0],
          y: places[position][1] - 9,
          anchor: 'middle',
          color: style.color,
        });
    }
  }
  return { svg, labels, drawn };
};

/** A line is broken where a value is missing. */
const unbroken = (points) => {
  const parts = [[]];
  for (const point of points) {
    if (point.y === null) parts.push([]);
    else parts.at(-1).push(point);
  }
  return parts.filter((part) => part.length > 0);
};

const drawPoints = (chart, { horizontal, vertical }, theme) => {
  const total = chart.series.reduce((sum, { points }) => sum + points.length, 0);
  const isDense = total > DENSE_POINTS;
  const radius = isDense ? 1.5 : total > 300 ? 3 : 4.5;
  // Points of one series that fall so near to each other, in pixels, cannot be told apart.
  const cell = isDense ? 2 : 0.5;
  const svg = [];
  const labels = [];
  let drawn = 0;
  for (const [index, { points }] of chart.series.entries()) {
    const style = seriesStyle(theme, index);
    const taken = new Set();
    const marks = [];
    for (const point of points) {
      const [x, y] = [horizontal.scale(point.x), vertical.scale(point.y)];
      const place = Math.round(x / cell) * 16_384 + Math.round(y / cell);
      if (taken.has(place)) continue;
      taken.add(place);
      marks.push(isDense ? `M${number(x - radius)} ${number(y - radius)}h3v3h-3z` : shape(style.shape, x, y, radius));
      labels.push({ value: point.y, text: point.label, x, y: y - radius - 5, anchor: 'middle', color: style.color });
    }
    drawn += marks.length;
    const outline = total > 300 ? null : theme.background;
    const paint = {
      fill: style.color,
      'fill-opacity': total > 300 ? 0.55 : 0.85,
      stroke: outline,
      'stroke-width': outline && 1,
    };
    if (marks.length > 0) svg.push(element('path', { d: marks.join(''), ...paint }));
  }
  return { svg, labels, drawn };
};

const drawBars = (chart, { horizontal, vertical }, theme) => {
  const isUpright = chart.orientation === 'vertical';
  const [bands, values] = isUpright ? [horizontal, vertical] : [vertical, horizontal];
  const isStacked = chart.mode === 'stacked';
  const width = bands.scale.bandwidth();
  const lanes = isStacked ? 1 : chart.series.length;
  const gap = lanes > 1 && width / lanes > 6 ? 1.5 : 0;
  const thickness = Math.min(72, width / lanes);
  const svg = [];
  const labels = [];
  let drawn = 0;
  for (const [index, { points }] of chart.series.entries()) {
    const { color } = seriesStyle(theme, index);
    for (const { x: category, y, from, to } of points) {
      if (y === null) continue;
      drawn += 1;
      const start =
        bands.scale(category) + (width - thickness * lanes) / 2 + (isStacked ? 0 : index * thickness) + gap / 2;
      const [a, b] = [values.scale(from), values.scale(to)];
      const [low, length] = [Math.min(a, b), Math.max(Math.abs(a - b), y === 0 ? 0 : 0.75)];
      const along = { start, size: Math.max(thickness - gap, 0.5) };
      const edge = isStacked ? { stroke: theme.background, 'stroke-width': 1 } : {};
      const box = isUpright
        ? { x: along.start, y: low, width: along.size, height: length }
        : { x: low, y: along.start, width: length, height: along.size };
      svg.push(element('rect', { ...box, fill: color, ...edge }));
      labels.push(barLabel({ y, a, b, low, length, along, isStacked, isUpright, color }));
    }
  }
  return { svg, labels, drawn };
};

const barLabel = ({ y, a, b, low, length, along, isStacked, isUpright, color }) => {
  const middle = along.start + along.size / 2;
  if (isStacked) {
    const center = low + length / 2;
    const room = isUpright ? { width: along.size - 4, height: length } : { width: length - 6, height: along.size };
    const place = isUpright ? { x: middle, y: center + 4 } : { x: center, y: middle + 4 };
    return { value: y, ...place, anchor: 'middle', inside: color, room };
  }
  if (isUpright) return { value: y, x: middle, y: b > a ? b + 14 : b - 6, anchor: 'middle' };
  return { value: y, x: b < a ? b - 6 : b + 6, y: middle + 4, anchor: b < a ? 'end' : 'start' };
};

const mark = (style, x, y, radius, outline) =>
  element('path', { d: shape(style.shape, x, y, radius), fill: style.color, stroke: outline, 'stroke-width': 1.25 });

/** The outline of a mark around a point, as path data. */
export const shape = (name, centerX, centerY, radius) => {
  const at = (x, y) => `${number(centerX + x)} ${number(centerY + y)}`;
  if (name === 'square') {
    const half = radius * 0.88;
    return `M${at(-half, -half)}L${at(half, -half)}L${at(half, half)}L${at(-half, half)}Z`;
  }
  if (name === 'triangle')
    return `M${at(0, -radius * 1.2)}L${at(radius * 1.1, radius * 0.8)}L${at(-radius * 1.1, radius * 0.8)}Z`;
  if (name === 'diamond')
    return `M${at(0, -radius * 1.25)}L${at(radius * 1.25, 0)}L${at(0, radius * 1.25)}L${at(-radius * 1.25, 0)}Z`;
  const r = number(radius);
  return `M${at(-radius, 0)}A${r} ${r} 0 1 1 ${at(radius, 0)}A${r} ${r} 0 1 1 ${at(-radius, 0)}Z`;
};
