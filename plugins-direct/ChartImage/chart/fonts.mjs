import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create } from 'fontkitten';

const require = createRequire(import.meta.url);

/**
 * Inter for Latin, Greek and Cyrillic; Noto Sans SC for Chinese and Japanese. Both come cut into files by Unicode range,
 * so a chart loads the few that its text needs. The renderer knows no variable weights and draws each file's default:
 * Noto's is Thin, which a stroke of its own colour brings to Regular.
 */
const FAMILIES = [
  { name: 'Inter', package: '@fontsource-variable/inter', prefix: 'inter', regularStroke: 0, boldStroke: 0.035 },
  {
    name: 'Noto Sans SC Thin',
    package: '@fontsource-variable/noto-sans-sc',
    prefix: 'noto-sans-sc',
    regularStroke: 0.045,
    boldStroke: 0.075,
  },
];

let subsets;
const faces = new Map();
/** Face or null by code point: finding it goes through the ranges of a hundred files. */
const known = new Map();

/** The face that has a glyph for a code point, or null. Files are read once, when the first text needs them. */
export const faceOf = (codePoint) => {
  let face = known.get(codePoint);
  if (face === undefined) {
    face = findFace(codePoint);
    known.set(codePoint, face);
  }
  return face;
};

const findFace = (codePoint) => {
  for (const subset of (subsets ??= readSubsets())) {
    if (!subset.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) continue;
    const face = load(subset);
    if (face.font.hasGlyphForCodePoint(codePoint)) return face;
  }
  return null;
};

/** Width of a code point in its face, in ems. */
export const advanceOf = (face, codePoint) => {
  let advance = face.advances.get(codePoint);
  if (advance === undefined) {
    advance = face.font.glyphForCodePoint(codePoint).advanceWidth / face.font.unitsPerEm;
    face.advances.set(codePoint, advance);
  }
  return advance;
};

const load = (subset) => {
  let face = faces.get(subset.file);
  if (face === undefined) {
    const bytes = readFileSync(require.resolve(`${subset.family.package}/files/${subset.file}`));
    face = { family: subset.family, bytes, font: create(bytes), advances: new Map() };
    faces.set(subset.file, face);
  }
  return face;
};

const readSubsets = () =>
  FAMILIES.flatMap((family) =>
    Object.entries(require(`${family.package}/unicode.json`)).map(([name, ranges]) => ({
      family,
      file: `${family.prefix}-${name.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`,
      ranges: ranges.split(',').map(parseRange),
    })),
  );

/** `U+4e00-4e02` or `U+20`. */
const parseRange = (text) => {
  const [first, last = first] = text
    .trim()
    .slice(2)
    .split('-')
    .map((part) => Number.parseInt(part, 16));
  return [first, last];
};
