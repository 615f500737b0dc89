import { extent } from 'd3-array';
import { stack, stackOffsetDiverging, stackOrderNone } from 'd3-shape';
import { ChartFault } from './chart-fault.mjs';
import { parseTime } from './times.mjs';

/** Points of all series together. More would say nothing more on a picture, and would hold up the charts that wait. */
const MOST_POINTS = 20_000;
/** Pixels of a picture; encoding more takes noticeably long, and the next chart waits. */
const MOST_PIXELS = 4_000_000;

/** Turns the arguments of a command into the chart to draw: what is missing filled in, stacked, every point checked. */
export const readChart = (kind, args) => {
  const chart = { line: readLine, bar: readBar, scatter: readScatter }[kind](args);
  const total = chart.series.reduce((sum, { points }) => sum + points.length, 0);
  if (total > MOST_POINTS)
    throw new ChartFault(
      'CHART.TOO_MANY_POINTS',
      `${total} points were given; a chart holds ${MOST_POINTS}. Give averages of parts, or fewer series.`,
      'series',
      { limit: MOST_POINTS, received: total },
    );
  if (!chart.series.some(({ points }) => points.some(({ y }) => y !== null)))
    throw new ChartFault('CHART.NO_DATA', 'no series has a value to draw. Give at least one number.', 'series');
  const { width = 800, height = 480 } = args;
  return {
    kind,
    title: args.title ?? null,
    subtitle: args.subtitle ?? null,
    width,
    height,
    scale: Math.min(args.scale ?? 2, Math.sqrt(MOST_PIXELS / (width * height))),
    theme: args.theme ?? 'light',
    dataLabels: args.dataLabels ?? false,
    hasLegend: args.legend ?? chart.series.length > 1,
    ...chart,
  };
};

const readLine = (args) => {
  const type = args.xType ?? guessType(args.x);
  const xs = args.x.map((value, index) => {
    if (type === 'category') return index;
    const place = type === 'time' ? timeOf(value) : typeof value === 'number' ? value : null;
    if (place !== null) return place;
    const wanted = type === 'time' ? 'a date such as 2026-07-12 or an RFC 3339 date-time with its offset' : 'a number';
    throw new ChartFault(
      'CHART.INVALID_X',
      `x[${index}] is ${JSON.stringify(value)}, not ${wanted}. Mend it, or set xType to "category".`,
      `x.${index}`,
      { expected: type, received: value },
    );
  });
  const series = args.series.map(({ name, values }, index) => {
    checkLength(values, args.x, `series.${index}.values`, name, 'x');
    const points = values.map((y, position) => ({ x: xs[position], y }));
    // A line is drawn from left to right, whatever the order in which its points came.
    return { name, points: type === 'category' ? points : points.toSorted((a, b) => a.x - b.x) };
  });
  const horizontal = {
    type,
    log: false,
    unit: args.xUnit ?? null,
    title: titleOf(args.xLabel, args.xUnit, type === 'time' && hasClock(args.x)),
  };
  if (type === 'category') horizontal.categories = args.x.map(String);
  else horizontal.extent = extent(xs);
  const values = valuesOf(args, series, 'yScale', { fromZero: args.startAtZero ?? false });
  return { series, horizontal, vertical: values, values };
};

const readBar = (args) => {
  const isStacked = args.mode === 'stacked';
  const isLog = args.valueScale === 'log';
  if (isStacked && isLog)
    throw new ChartFault(
      'INVALID_ARGUMENT',
      'stacked bars cannot be read on a logarithmic scale. Use mode "grouped" or valueScale "linear".',
      'valueScale',
    );
  for (const [index, { name, values }] of args.series.entries())
    checkLength(values, args.categories, `series.${index}.values`, name, 'categories');
  const isFlat = args.orientation === 'horizontal';
  const lanes = args.categories.length * (isStacked ? 1 : args.series.length);
  const room = isFlat ? (args.height ?? 480) : (args.width ?? 800);
  const most = Math.floor(room / 3);
  if (lanes > most)
    throw new ChartFault(
      'CHART.TOO_DENSE',
      `${lanes} bars side by side do not fit into ${room} pixels; ${most} would. Give fewer categories or series, or a larger ${isFlat ? 'height' : 'width'}.`,
      'categories',
      { limit: most, received: lanes },
    );

  const spans = isStacked ? stacked(args) : null;
  const series = args.series.map(({ name, values }, index) => ({
    name,
    points: values.map((y, category) => {
      const [from, to] = spans === null ? [0, y] : spans[index][category];
      return { x: category, y, from, to };
    }),
  }));
  const values = valuesOf(
    { ...args, yLabel: args.valueLabel, yUnit: args.valueUnit, yScale: args.valueScale },
    series,
    'valueScale',
    { fromZero: true },
  );
  if (isLog) {
    // A bar on a logarithmic scale stands on the power of ten below the smallest value.
    const floor = 10 ** Math.floor(Math.log10(values.extent[0]) - 1e-9);
    values.extent = [floor, values.extent[1]];
    for (const { points } of series) for (const point of points) point.from = floor;
  }
  const names = {
    type: 'category',
    log: false,
    unit: null,
    title: titleOf(args.categoryLabel),
    categories: args.categories,
  };
  return {
    series,
    values,
    mode: isStacked ? 'stacked' : 'grouped',
    orientation: isFlat ? 'horizontal' : 'vertical',
    ...(isFlat ? { horizontal: values, vertical: names } : { horizontal: names, vertical: values }),
  };
};

const stacked = ({ categories, series }) =>
  stack()
    .keys(series.keys())
    .value((category, key) => series[key].values[category] ?? 0)
    .order(stackOrderNone)
    .offset(stackOffsetDiverging)(categories.keys().toArray());

const readScatter = (args) => {
  const series = args.series.map(({ name, points }) => ({
    name,
    points: points.map((point) => (Array.isArray(point) ? { x: point[0], y: point[1] } : { ...point })),
  }));
  const isLog = args.xScale === 'log';
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  if (isLog) checkPositive(series, 'x', 'xScale');
  const horizontal = {
    type: 'number',
    log: isLog,
    unit: args.xUnit ?? null,
    title: titleOf(args.xLabel, args.xUnit),
    extent: extent(xs),
    fromZero: false,
  };
  const values = valuesOf(args, series, 'yScale', { fromZero: false });
  return { series, horizontal, vertical: values, values };
};

const valuesOf = (args, series, scaleName, { fromZero }) => {
  const isLog = args.yScale === 'log';
  if (isLog) checkPositive(series, 'y', scaleName);
  const ends = series.flatMap(({ points }) =>
    points.flatMap(({ y, from, to }) => (y === null ? [] : to === undefined ? [y] : [from, to])),
  );
  const shown = isLog ? ends.filter((value) => value > 0) : ends;
  return {
    type: 'number',
    log: isLog,
    unit: args.yUnit ?? null,
    title: titleOf(args.yLabel, args.yUnit),
    extent: extent(shown),
    fromZero,
  };
};

const checkPositive = (series, name, scaleName) => {
  for (const [index, { points }] of series.entries()) {
    const position = points.findIndex((point) => point[name] !== null && point[name] <= 0);
    if (position === -1) continue;
    throw new ChartFault(
      'CHART.LOG_NEEDS_POSITIVE',
      `a logarithmic scale shows numbers above zero only, and series ${index} has ${points[position][name]}. Set ${scaleName} to "linear", or leave that value out.`,
      scaleName,
      { series: index, received: points[position][name] },
    );
  }
};

const checkLength = (values, along, target, name, alongName) => {
  if (values.length === along.length || values.length === 0) return;
  throw new ChartFault(
    'CHART.LENGTH_MISMATCH',
    `series "${name}" has ${values.length} values for ${along.length} entries of ${alongName}. Give one value for each, null where there is none.`,
    target,
    { expected: along.length, received: values.length },
  );
};

const guessType = (values) => {
  if (values.every((value) => typeof value === 'number')) return 'number';
  return values.every((value) => timeOf(value) !== null) ? 'time' : 'category';
};

const timeOf = (value) => (typeof value === 'string' ? parseTime(value) : null);
const hasClock = (values) => values.some((value) => typeof value === 'string' && value.includes(':'));

const titleOf = (label, unit, isUtc = false) => {
  const notes = [unit, isUtc ? 'UTC' : undefined].filter((note) => note !== undefined && note !== '');
  if (label === undefined || label === '') return notes.length === 0 ? null : notes.join(', ');
  return notes.length === 0 ? label : `${label} (${notes.join(', ')})`;
};
