import { bandAxis, valueAxis } from './axes.mjs';
import { SIZES } from './theme.mjs';

const { padding, tick, label } = SIZES;
const LEGEND_ROW = 22;
const SWATCH = 22;
const LEGEND_GAP = 20;
/** Of the chart's width, what category names beside horizontal bars may take at most. */
const NAME_COLUMN = 0.35;
const LONGEST_SLANTED = 130;
/** Pixels along the axis that a slanted name needs. */
const SLANTED_SPACE = 17;
/** Pixels that a line of two needs at least, and that a name beside horizontal bars needs of the height. */
const FOLDED_SPACE = 44;
const ROW_SPACE = 14;

/** Where everything stands: `chart` is what to draw, all lengths are pixels. */
export const layOut = (chart, typesetter) => {
  const inner = chart.width - 2 * padding;
  const header = layOutHeader(chart, typesetter, inner);
  const top = header.bottom + (chart.vertical.title === null ? 18 : 20 + tick * 1.5);
  const bottomTitle = chart.horizontal.title === null ? 0 : 20;

  // The height is not known before the names below the plot are, and these not before the numbers beside it.
  const roughHeight = Math.max(40, chart.height - top - padding - 24 - bottomTitle);
  const vertical = axisOf(chart.vertical, roughHeight, true);
  const beside = placeBeside(vertical, typesetter, { most: chart.width * NAME_COLUMN, height: roughHeight });
  const horizontal = axisOf(chart.horizontal, chart.width - 2 * padding - beside.width, false);
  // The first and the last tick stand on the plot's corners; half of their labels stands out beyond them.
  const [before, after] = overhang(horizontal, typesetter);
  const left = padding + Math.max(beside.width + 10, before - padding + 4);
  const right = chart.width - Math.max(padding, after + 4);
  const below = placeBelow(horizontal, typesetter, { left, right }, chart.height * 0.3);
  const bottom = chart.height - padding - bottomTitle - below.height;
  vertical.scale.range(vertical.categories === undefined ? [bottom, top] : [top, bottom]);
  return { header, plot: { left, right, top, bottom }, vertical, horizontal, beside, below };
};

const overhang = ({ ticks = [] }, typesetter) =>
  [ticks.at(0), ticks.at(-1)].map((end) => (end === undefined ? 0 : typesetter.widthOf(end.text, tick) / 2));

const axisOf = (axis, pixels, isVertical) =>
  axis.type === 'category' && axis.categories !== undefined
    ? bandAxis(axis.categories)
    : valueAxis(axis, axis.extent, { pixels, isVertical, fromZero: axis.fromZero });

const layOutHeader = (chart, typesetter, inner) => {
  let bottom = padding - 4;
  const lines = [];
  const add = (text, size, bold, most) => {
    if (text === null) return;
    for (const line of typesetter.wrap(text, size, bold ? inner / 1.06 : inner, most)) {
      bottom += size * SIZES.lineHeight;
      lines.push({ text: line, size, bold, y: bottom });
    }
  };
  add(chart.title, SIZES.title, true, 2);
  add(chart.subtitle, SIZES.subtitle, false, 2);

  const legend = [];
  if (chart.hasLegend) {
    bottom += lines.length === 0 ? 4 : 10;
    let x = padding;
    for (const [index, { name }] of chart.series.entries()) {
      const text = typesetter.shorten(name, label, Math.min(220, inner - SWATCH));
      const width = SWATCH + typesetter.widthOf(text, label);
      if (index > 0 && x + width > chart.width - padding) {
        x = padding;
        bottom += LEGEND_ROW;
      }
      legend.push({ index, text, x, y: bottom + LEGEND_ROW / 2 });
      x += width + LEGEND_GAP;
    }
    bottom += LEGEND_ROW;
  }
  return { lines, legend, bottom: lines.length + legend.length === 0 ? padding - 10 : bottom };
};

/** The labels left of the plot, each for every so many places, and the width that they take. */
const placeBeside = ({ categories, ticks }, typesetter, { most, height }) => {
  const all = categories ?? ticks.map(({ text }) => text);
  const every = categories === undefined ? 1 : Math.max(1, Math.ceil((ROW_SPACE * all.length) / height));
  const texts = all.filter((_, index) => index % every === 0);
  const labels = texts.map((text) => typesetter.shorten(text, tick, most));
  return {
    labels: labels.map((text, index) => ({ text, index: index * every })),
    shortened: texts.filter((text) => !typesetter.fits(text, tick, most)).length,
    width: Math.max(0, ...labels.map((text) => typesetter.widthOf(text, tick))),
    left: all.length - labels.length,
  };
};

/** The labels below the plot: level where they fit, else on two lines, else slanted, else every second, third … */
const placeBelow = (axis, typesetter, { left, right }, mostHeight) => {
  axis.scale.range([left, right]);
  if (axis.categories === undefined) return placeTicks(axis, typesetter);
  const { categories, scale } = axis;
  const slot = scale.step();
  const at = (index) => scale(index) + scale.bandwidth() / 2;
  const level = slot > 8 && categories.every((text) => typesetter.fits(text, tick, slot - 8));
  if (level) {
    const labels = categories.map((text, index) => ({ lines: [text], x: at(index) }));
    return { labels, height: 24, slanted: false, shortened: 0, left: 0 };
  }
  const folded = slot < FOLDED_SPACE ? null : categories.map((text) => typesetter.wrap(text, tick, slot - 8, 2));
  if (folded?.every((lines) => lines.every((line) => !line.endsWith('…')))) {
    const labels = folded.map((lines, index) => ({ lines, x: at(index) }));
    return { labels, height: 40, slanted: false, shortened: 0, left: 0 };
  }
  const every = Math.max(1, Math.ceil(SLANTED_SPACE / slot));
  const longest = Math.min(LONGEST_SLANTED, mostHeight * Math.SQRT2 - tick);
  let shortened = 0;
  let widest = 0;
  const labels = [];
  for (const [index, text] of categories.entries()) {
    if (index % every !== 0) continue;
    // The first names lean out to the left; they end where the picture does.
    const room = Math.min(longest, (at(index) - 6) * Math.SQRT2);
    const line = typesetter.shorten(text, tick, room);
    if (!typesetter.fits(text, tick, room)) shortened += 1;
    widest = Math.max(widest, typesetter.widthOf(line, tick));
    labels.push({ lines: [line], x: at(index) });
  }
  const leftOut = categories.length - labels.length;
  return { labels, height: widest / Math.SQRT2 + 20, slanted: true, shortened, left: leftOut };
};

const placeTicks = (axis, typesetter) => {
  const labels = [];
  let end = -Infinity;
  for (const { value, text } of axis.ticks) {
    const x = axis.scale(value);
    const half = typesetter.widthOf(text, tick) / 2;
    // A label that would touch its neighbour says less than none.
    if (x - half < end + 8) continue;
    end = x + half;
    labels.push({ lines: [text], x });
  }
  return { labels, height: 22, slanted: false, shortened: 0, left: 0 };
};
