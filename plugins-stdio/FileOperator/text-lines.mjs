import { unitOf } from '../lib/text-encodings.mjs';

const LF = 0x0a;
const CR = 0x0d;

/**
 * The lines of a text by their places in the bytes: `{ start, end, next }` each, where `end` is before the line end and
 * `next` after it. A line ends with LF or CR LF; where the whole text has no LF, with CR. The last line may have no end.
 */
export function splitLines(bytes, encoding, from = 0) {
  const unit = unitOf(encoding);
  const isBigEndian = encoding.endsWith('be');
  const find = (value, start) => findUnit(bytes, value, start, unit, isBigEndian);
  const isCr = (at) => at >= from && unitAt(bytes, at, unit, isBigEndian) === CR;
  const separator = find(LF, from) === -1 ? CR : LF;
  const lines = [];
  let start = from;
  for (let at = find(separator, start); at !== -1; at = find(separator, start)) {
    const end = separator === LF && at - unit >= start && isCr(at - unit) ? at - unit : at;
    lines.push({ start, end, next: at + unit });
    start = at + unit;
  }
  if (start < bytes.length) lines.push({ start, end: bytes.length, next: bytes.length });
  return lines;
}

/** `lf`, `crlf`, `cr`, `mixed`, or `none` for a text without any line end. */
export function lineEndingOf(bytes, lines, encoding) {
  const unit = unitOf(encoding);
  const isBigEndian = encoding.endsWith('be');
  const kinds = new Set();
  for (const { end, next } of lines) {
    if (next === end) continue;
    if (next - end === 2 * unit) kinds.add('crlf');
    else kinds.add(unitAt(bytes, end, unit, isBigEndian) === CR ? 'cr' : 'lf');
    if (kinds.size > 1) return 'mixed';
  }
  return kinds.size === 0 ? 'none' : [...kinds][0];
}

export const LINE_ENDINGS = { lf: '\n', crlf: '\r\n', cr: '\r' };

/** The text with every line end replaced by that one. CR alone is one only where there is no LF. */
export function withLineEnding(text, kind) {
  return text.replaceAll(text.includes('\n') ? /\r?\n/g : /\r/g, LINE_ENDINGS[kind]);
}

function findUnit(bytes, value, from, unit, isBigEndian) {
  if (unit === 1) return bytes.indexOf(value, from);
  // The byte itself is found fast; whether it is the whole unit is looked at then.
  const place = isBigEndian ? unit - 1 : 0;
  for (let at = bytes.indexOf(value, from); at !== -1; at = bytes.indexOf(value, at + 1)) {
    const start = at - place;
    if (start >= from && (start - from) % unit === 0 && unitAt(bytes, start, unit, isBigEndian) === value) return start;
  }
  return -1;
}

function unitAt(bytes, at, unit, isBigEndian) {
  if (at + unit > bytes.length) return -1;
  return isBigEndian ? bytes.readUIntBE(at, unit) : bytes.readUIntLE(at, unit);
}
