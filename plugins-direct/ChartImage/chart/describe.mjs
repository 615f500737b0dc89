import { shortNumber } from './numbers.mjs';

const KIND_NAMES = { line: 'Line chart', bar: 'Bar chart', scatter: 'Scatter plot' };

const AXIS_NAMES = { number: 'x', time: 'time', category: 'categories' };

/** The facts of a chart, for whoever cannot see it, with an `altText` made of them. */
export const describeChart = (chart, drawn) => {
  const series = chart.series.map(({ name, points }) => {
    const values = points.map(({ y }) => y).filter((y) => y !== null);
    return {
      name,
      points: values.length,
      min: values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b)),
      max: values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b)),
    };
  });
  const isFlat = chart.kind === 'bar' && chart.orientation === 'horizontal';
  const across = isFlat ? chart.vertical : chart.horizontal;
  const pointCount = series.reduce((sum, { points }) => sum + points, 0);
  return {
    kind: chart.kind,
    widthPixels: Math.round(chart.width * chart.scale),
    heightPixels: Math.round(chart.height * chart.scale),
    seriesCount: series.length,
    pointCount,
    drawnPointCount: drawn,
    x: rangeOf(across),
    y: {
      min: Math.min(...series.flatMap(({ min }) => (min === null ? [] : [min]))),
      max: Math.max(...series.flatMap(({ max }) => (max === null ? [] : [max]))),
      scale: chart.values.log ? 'log' : 'linear',
    },
    series,
    altText: altText(chart, series, across),
  };
};

const rangeOf = (axis) => {
  if (axis.categories !== undefined)
    return { type: 'category', count: axis.categories.length, first: axis.categories[0], last: axis.categories.at(-1) };
  const [first, last] = axis.type === 'time' ? axis.extent.map((time) => new Date(time).toISOString()) : axis.extent;
  return { type: axis.type, first, last, ...(axis.type === 'number' && { scale: axis.log ? 'log' : 'linear' }) };
};

const altText = (chart, series, across) => {
  const { unit } = chart.values;
  const value = (number) => shortNumber(number, unit) + (unit === null ? '' : ` ${unit}`);
  const named = series.slice(0, 4).map(({ name, points, min, max }) => {
    if (points === 0) return `${name} has no values`;
    return min === max ? `${name} is ${value(min)}` : `${name} from ${value(min)} to ${value(max)}`;
  });
  const rest = series.length > 4 ? [`${series.length - 4} more series`] : [];
  const title = chart.title === null ? '' : ` “${chart.title}”`;
  const [first, last] = endsInWords(across);
  const span = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return `${KIND_NAMES[chart.kind]}${title}, ${across.title ?? AXIS_NAMES[across.type]} ${span}: ${[...named, ...rest].join('; ')}.`;
};

const endsInWords = (axis) => {
  const { first, last } = rangeOf(axis);
  if (axis.type === 'number') return [shortNumber(first, axis.unit), shortNumber(last, axis.unit)];
  // Midnight is written as the day alone.
  return [first, last].map((end) => (axis.type === 'time' ? end.replace(/T00:00:00\.000Z$/, '') : end));
};
