import { drawDataLabels } from './data-labels.mjs';
import { layOut } from './layout.mjs';
import { drawMarks, shape } from './marks.mjs';
import { element } from './svg.mjs';
import { seriesStyle, SIZES, THEMES } from './theme.mjs';
import { createTypesetter } from './typesetter.mjs';

const { padding, tick, label } = SIZES;

/** A chart as SVG, the fonts that it needs, and what had to be left out. It does no I/O but the reading of fonts. */
export const drawChart = (chart) => {
  const theme = THEMES[chart.theme];
  const typesetter = createTypesetter();
  const layout = layOut(chart, typesetter);
  const marks = drawMarks(chart, layout, theme);
  const labels = chart.dataLabels
    ? drawDataLabels(marks.labels, chart, layout.plot, typesetter, theme)
    : { svg: [], leftOut: 0 };
  const { width, height } = chart;
  const svg = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` },
    element('rect', { width, height, fill: theme.background }),
    drawHeader(chart, layout, theme, typesetter),
    drawAxes(chart, layout, theme, typesetter),
    marks.svg,
    drawBaseline(chart, layout, theme),
    labels.svg,
  );
  return {
    svg,
    fontFiles: typesetter.fontFiles(),
    missingCharacters: typesetter.missingCharacters(),
    drawnPoints: marks.drawn,
    labelsLeftOut: labels.leftOut,
    namesShortened: layout.beside.shortened + layout.below.shortened,
    namesLeftOut: layout.beside.left + layout.below.left,
  };
};

const drawHeader = (chart, { header }, theme, typesetter) => [
  ...header.lines.map(({ text, size, bold, y }) =>
    typesetter.draw(text, { x: padding, y, size, bold, fill: bold ? theme.text : theme.muted }),
  ),
  ...header.legend.flatMap(({ index, text, x, y }) => [
    swatch(chart, seriesStyle(theme, index), x, y),
    typesetter.draw(text, { x: x + 22, y: y + 4.5, size: label, fill: theme.text }),
  ]),
];

const swatch = (chart, style, x, y) => {
  const { color, dashes } = style;
  if (chart.kind === 'bar') return element('rect', { x: x + 1, y: y - 6, width: 13, height: 13, rx: 2, fill: color });
  const mark = element('path', { d: shape(style.shape, x + 8, y, 4.5), fill: color });
  if (chart.kind === 'scatter') return mark;
  const line = { x1: x, x2: x + 16, y1: y, y2: y, stroke: color, 'stroke-width': 2.25, 'stroke-dasharray': dashes };
  return element('line', line) + mark;
};

const drawAxes = (chart, { plot, vertical, horizontal, beside, below }, theme, typesetter) => {
  const svg = [];
  const text = (content, place) => svg.push(typesetter.draw(content, { size: tick, fill: theme.muted, ...place }));
  const grid = (x1, y1, x2, y2) => svg.push(element('line', { x1, y1, x2, y2, stroke: theme.grid, 'stroke-width': 1 }));

  if (vertical.categories === undefined) {
    for (const { text: name, index } of beside.labels) {
      const y = vertical.scale(vertical.ticks[index].value);
      grid(plot.left, y, plot.right, y);
      text(name, { x: plot.left - 10, y: y + 4, anchor: 'end' });
    }
  } else {
    for (const { text: name, index } of beside.labels) {
      const y = vertical.scale(index) + vertical.scale.bandwidth() / 2;
      text(name, { x: plot.left - 10, y: y + 4, anchor: 'end', fill: theme.text });
    }
  }
  if (horizontal.categories === undefined) {
    const isFaint = chart.kind === 'line';
    if (!isFaint)
      for (const { value } of horizontal.ticks)
        grid(horizontal.scale(value), plot.top, horizontal.scale(value), plot.bottom);
  }
  for (const { lines, x } of below.labels) {
    const fill = horizontal.categories === undefined ? theme.muted : theme.text;
    if (below.slanted) text(lines[0], { x: x + 4, y: plot.bottom + 14, anchor: 'end', rotate: -45, fill });
    else
      for (const [row, line] of lines.entries())
        text(line, { x, y: plot.bottom + 18 + row * 15, anchor: 'middle', fill });
    if (horizontal.categories === undefined)
      svg.push(
        element('line', { x1: x, x2: x, y1: plot.bottom, y2: plot.bottom + 5, stroke: theme.axis, 'stroke-width': 1 }),
      );
  }
  const { title: above } = chart.vertical;
  if (above !== null) {
    const most = chart.width - 2 * padding;
    text(typesetter.shorten(above, tick, most), { x: padding, y: plot.top - 14, fill: theme.text });
  }
  const { title: under } = chart.horizontal;
  if (under !== null) {
    const line = typesetter.shorten(under, tick, chart.width - 2 * padding);
    // Under the middle of the plot, as far as the picture's edges let it.
    const half = typesetter.widthOf(line, tick) / 2;
    const middle = Math.max(padding + half, Math.min((plot.left + plot.right) / 2, chart.width - padding - half));
    text(line, { x: middle, y: chart.height - padding + 4, anchor: 'middle', fill: theme.text });
  }
  return svg;
};

/** The line that values are measured from: zero where it is in sight, else the edge of the plot. */
const drawBaseline = (chart, { plot, vertical, horizontal }, theme) => {
  const line = (x1, y1, x2, y2) => element('line', { x1, y1, x2, y2, stroke: theme.axis, 'stroke-width': 1.25 });
  const isFlat = chart.kind === 'bar' && chart.orientation === 'horizontal';
  if (isFlat) {
    const x = horizontal.scale(chart.values.log ? horizontal.scale.domain()[0] : 0);
    return line(x, plot.top, x, plot.bottom);
  }
  const zero = !chart.values.log && vertical.scale.domain()[0] <= 0 ? vertical.scale(0) : plot.bottom;
  return (
    line(plot.left, zero, plot.right, zero) +
    (zero < plot.bottom - 1 && chart.kind !== 'bar' ? line(plot.left, plot.bottom, plot.right, plot.bottom) : '')
  );
};
