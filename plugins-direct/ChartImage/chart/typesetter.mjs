import { advanceOf, faceOf } from './fonts.mjs';
import { element, escapeXml } from './svg.mjs';

/** Drawn in the place of a character that no font has. */
const REPLACEMENT = 0x25a1;
const ELLIPSIS = '…';

/** Measures and draws the text of one chart, and keeps which fonts that took and which characters none of them has. */
export const createTypesetter = () => {
  const faces = new Set();
  const missing = new Set();

  /** The text as runs of one face each; a run is what one `tspan` draws. */
  const runsOf = (text) => {
    const runs = [];
    for (const character of clean(text)) {
      let codePoint = character.codePointAt(0);
      let face = faceOf(codePoint);
      if (face === null) {
        missing.add(character);
        codePoint = REPLACEMENT;
        face = faceOf(codePoint);
      }
      faces.add(face);
      const last = runs.at(-1);
      const width = advanceOf(face, codePoint);
      if (last?.face.family === face.family) {
        last.text += String.fromCodePoint(codePoint);
        last.ems += width;
      } else runs.push({ face, text: String.fromCodePoint(codePoint), ems: width });
    }
    return runs;
  };

  const widthOf = (text, size) => runsOf(text).reduce((sum, { ems }) => sum + ems, 0) * size;

  const shorten = (text, size, width) => {
    const characters = [...clean(text)];
    if (widthOf(text, size) <= width) return characters.join('');
    // The longest beginning that fits: widths only grow, so halving finds it.
    let [low, high] = [0, characters.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (widthOf(characters.slice(0, middle).join('').trimEnd() + ELLIPSIS, size) <= width) low = middle;
      else high = middle - 1;
    }
    return characters.slice(0, low).join('').trimEnd() + ELLIPSIS;
  };

  /** Lines of at most that width, broken at spaces and between ideographs; what is beyond `most` lines is cut. */
  const wrap = (text, size, width, most) => {
    const parts = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(clean(text))].map(
      (part) => part.segment,
    );
    const lines = [''];
    for (const [index, part] of parts.entries()) {
      const line = lines.at(-1) + part;
      if (lines.at(-1) === '' || widthOf(line.trimEnd(), size) <= width) lines[lines.length - 1] = line;
      else if (lines.length < most) lines.push(part.trimStart());
      else {
        lines[lines.length - 1] += parts.slice(index).join('');
        break;
      }
    }
    return lines.map((line) => shorten(line.trim(), size, width));
  };

  const draw = (text, { x, y, size, fill, anchor = 'start', bold = false, rotate = 0, halo = null }) => {
    const spans = runsOf(text).map(({ face, text: part }) => {
      const stroke = (bold ? face.family.boldStroke : face.family.regularStroke) * size;
      return element(
        'tspan',
        {
          'font-family': face.family.name,
          ...(stroke > 0 && { stroke: fill, 'stroke-width': stroke, 'stroke-linejoin': 'round' }),
        },
        escapeXml(part),
      );
    });
    const turned = rotate === 0 ? null : `rotate(${rotate} ${x} ${y})`;
    const attributes = { x, y, 'font-size': size, 'text-anchor': anchor, transform: turned, 'xml:space': 'preserve' };
    const plain = element('text', { ...attributes, fill }, spans);
    if (halo === null) return plain;
    const behind = runsOf(text).map(({ face, text: part }) =>
      element('tspan', { 'font-family': face.family.name }, escapeXml(part)),
    );
    const outline = { stroke: halo, 'stroke-width': 3, 'stroke-linejoin': 'round' };
    return element('text', { ...attributes, ...outline, fill: halo }, behind) + plain;
  };

  return {
    widthOf,
    shorten,
    wrap,
    draw,
    fontFiles: () => [...faces].map(({ bytes }) => bytes),
    missingCharacters: () => [...missing],
  };
};

/** One line, without what XML does not allow. */
const clean = (text) =>
  text
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '');
