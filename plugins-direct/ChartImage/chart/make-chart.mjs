import { describeChart } from './describe.mjs';
import { drawChart } from './draw-chart.mjs';
import { rasterise } from './rasterise.mjs';
import { readChart } from './read-chart.mjs';

/** The PNG of a chart, its facts, and a warning for all that it does not show. Throws ChartFault. */
export const makeChart = async (kind, args) => {
  const chart = readChart(kind, args);
  const drawing = drawChart(chart);
  const png = await rasterise(drawing.svg, { scale: chart.scale, fontFiles: drawing.fontFiles });
  const facts = describeChart(chart, drawing.drawnPoints);
  return { png, facts, title: chart.title, warnings: warningsOf(args, chart, drawing, facts) };
};

const warningsOf = (args, chart, drawing, { pointCount, drawnPointCount }) => {
  const warnings = [];
  const warn = (code, message, target, details) => warnings.push({ code, message, target, details });
  if (chart.scale < (args.scale ?? 2))
    warn(
      'SCALE_REDUCED',
      `the picture is enlarged ${chart.scale.toFixed(2)} times only, so that it stays within 4,000,000 pixels`,
      'scale',
      { scale: chart.scale },
    );
  const { missingCharacters: missing } = drawing;
  if (missing.length > 0) {
    const shown = missing.slice(0, 20);
    warn(
      'FONT_MISSING_GLYPHS',
      `the chart's fonts have no picture for ${shown.join(' ')}${missing.length > 20 ? ' …' : ''}; a box stands in its place`,
      null,
      { characters: shown, count: missing.length },
    );
  }
  if (drawnPointCount < pointCount)
    warn(
      'POINTS_DOWNSAMPLED',
      `${drawnPointCount} of ${pointCount} points are drawn, those that keep the shape; the rest would fall on the same pixels`,
      'series',
      { originalCount: pointCount, drawnCount: drawnPointCount },
    );
  for (const [index, { name, points }] of chart.series.entries())
    if (!points.some(({ y }) => y !== null))
      warn('EMPTY_SERIES', `series "${name}" has no values; only its name is shown`, `series.${index}`, {});
  const { namesShortened, namesLeftOut, labelsLeftOut } = drawing;
  if (namesShortened > 0)
    warn(
      'LABELS_SHORTENED',
      `${namesShortened} axis labels are cut with …; give shorter ones, a larger chart or horizontal bars to see all of them`,
      null,
      { count: namesShortened },
    );
  if (namesLeftOut > 0)
    warn(
      'LABELS_LEFT_OUT',
      `${namesLeftOut} axis labels are left out where they would overlap; a wider chart shows more`,
      null,
      { count: namesLeftOut },
    );
  if (labelsLeftOut > 0)
    warn(
      'DATA_LABELS_LEFT_OUT',
      `${labelsLeftOut} data labels are left out where they would overlap, do not fit, or are too many to read`,
      'dataLabels',
      { count: labelsLeftOut },
    );
  return warnings;
};
