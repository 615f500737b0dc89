import { shortNumber } from './numbers.mjs';

const SIZE = 11;
/** More labels than this nobody reads, and finding room for each takes time with the square of their number. */
const MOST_LABELS = 500;

/** Values beside their marks, as many as fit without touching each other or leaving the picture. */
export const drawDataLabels = (places, chart, plot, typesetter, theme) => {
  const taken = [];
  const svg = [];
  let leftOut = 0;
  for (const place of places) {
    if (taken.length === MOST_LABELS) {
      leftOut += 1;
      continue;
    }
    const text = place.text ?? shortNumber(place.value, chart.values.unit);
    const width = typesetter.widthOf(text, SIZE);
    // One over the first or last point of a line moves into the plot, off the numbers of the axis.
    const isOver = place.anchor === 'middle' && place.room === undefined;
    const x = isOver ? Math.min(Math.max(place.x, plot.left + width / 2 + 2), chart.width - width / 2 - 4) : place.x;
    const start = x - (place.anchor === 'middle' ? width / 2 : place.anchor === 'end' ? width : 0);
    const box = { left: start - 1, right: start + width + 1, top: place.y - SIZE, bottom: place.y + 2 };
    const fits =
      box.left >= 2 &&
      box.right <= chart.width - 2 &&
      box.top >= 2 &&
      (place.room === undefined || (width <= place.room.width && SIZE + 2 <= place.room.height)) &&
      !taken.some((other) => touch(box, other));
    if (!fits) {
      leftOut += 1;
      continue;
    }
    taken.push(box);
    const fill = place.inside === undefined ? theme.text : readableOn(place.inside);
    const halo = place.inside === undefined ? theme.background : null;
    svg.push(typesetter.draw(text, { x, y: place.y, size: SIZE, fill, anchor: place.anchor, halo }));
  }
  return { svg, leftOut };
};

const touch = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Black or white, whichever contrasts more (WCAG relative luminance). */
const readableOn = (color) => {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#101418' : '#ffffff';
};
