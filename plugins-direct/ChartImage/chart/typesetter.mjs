import { advanceOf, faceOf } from './fonts.mjs';
import { element, escapeXml } from './svg.mjs';

/** Drawn in the place of a character that no font has. */
const REPLACEMENT = 0x25a1;
const ELLIPSIS = '…';
/** UTF-16 units kept of what does not fit: enough to be seen as too much, trailing spaces and all. */
const MORE = 40;

/** Draws the text of one chart, and keeps which fonts that took and which characters none of them has. */
export const createTypesetter = () => {
  const faces = new Set();
  const missing = new Set();

  /** The text as runs of one face each; a run is what one `tspan` draws. */
  const runsOf = (text) => {
    const runs = [];
    for (const character of clean(text)) {
      const { face, codePoint } = glyphOf(character);
      if (codePoint !== character.codePointAt(0)) missing.add(character);
      faces.add(face);
      const last = runs.at(-1);
      if (last?.face.family === face.family) last.text += String.fromCodePoint(codePoint);
      else runs.push({ face, text: String.fromCodePoint(codePoint) });
    }
    return runs;
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
    fits,
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

/** What is drawn for a character: its own glyph, or the box. */
const glyphOf = (character) => {
  const codePoint = character.codePointAt(0);
  const face = faceOf(codePoint);
  return face === null ? { face: faceOf(REPLACEMENT), codePoint: REPLACEMENT } : { face, codePoint };
};

const emsOf = (character) => {
  const { face, codePoint } = glyphOf(character);
  return advanceOf(face, codePoint);
};

const widthOf = (text, size) => {
  let ems = 0;
  for (const character of clean(text)) ems += emsOf(character);
  return ems * size;
};

/** Where in a clean text the last character ends that fits into `width`. What comes after it is not even measured. */
const endOfFit = (line, size, width) => {
  let ems = 0;
  let end = 0;
  for (const character of line) {
    ems += emsOf(character);
    if (ems * size > width) return end;
    end += character.length;
  }
  return end;
};

const fits = (text, size, width) => {
  const line = clean(text);
  return endOfFit(line, size, width) === line.length;
};

const shorten = (text, size, width) => {
  const line = clean(text);
  if (endOfFit(line, size, width) === line.length) return line;
  return line.slice(0, endOfFit(line, size, width - widthOf(ELLIPSIS, size))).trimEnd() + ELLIPSIS;
};

/** Lines of at most that width, broken at spaces and between ideographs; what is beyond `most` lines is cut. */
const wrap = (text, size, width, most) => {
  const whole = clean(text);
  // What all lines together cannot hold is not looked at, but for what shows that there is more.
  const line = whole.slice(0, endOfFit(whole, size, width * most) + MORE);
  const parts = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(line)].map((part) => part.segment);
  const lines = [''];
  for (const [index, part] of parts.entries()) {
    const longer = lines.at(-1) + part;
    if (lines.at(-1) === '' || fits(longer.trimEnd(), size, width)) lines[lines.length - 1] = longer;
    else if (lines.length < most) lines.push(part.trimStart());
    else {
      lines[lines.length - 1] += parts.slice(index).join('');
      break;
    }
  }
  return lines.map((one) => shorten(one.trim(), size, width));
};
