import { TEXT_LINES } from './limits.mjs';
import { unitOf } from '../lib/text-encodings.mjs';

const LF = 0x0a;
const CR = 0x0d;

/** A text of more lines than are held at once. */
export class TooManyLines extends Error {}

/**
 * The lines of a text by their places in the bytes: `at(index)` gives `{ start, end, next }`, where `end` is before the line
 * end and `next` after it, and undefined where there is no such line; `length` counts them. A line ends with LF or CR LF;
 * where the whole text has no LF, with CR. The last line may have no end. Throws `TooManyLines`.
 */
export function splitLines(bytes, encoding, from = 0) {
  const unit = unitOf(encoding);
  const isBigEndian = encoding.endsWith('be');
  const find = (value, start) => findUnit(bytes, value, start, unit, isBigEndian);
  const isCr = (at) => at >= from && unitAt(bytes, at, unit, isBigEndian) === CR;
  const separator = find(LF, from) === -1 ? CR : LF;
  // Plain numbers: an object for each of millions of lines would take a hundred times the text.
  let nexts = new Uint32Array(1_024);
  let length = 0;
  const add = (next) => {
    if (length >= TEXT_LINES) throw new TooManyLines();
    if (length === nexts.length) {
      const grown = new Uint32Array(nexts.length * 2);
      grown.set(nexts);
      nexts = grown;
    }
    nexts[length] = next;
    length += 1;
  };
  let start = from;
  for (let at = find(separator, start); at !== -1; at = find(separator, start)) {
    start = at + unit;
    add(start);
  }
  const isOpen = start < bytes.length;
  if (isOpen) add(bytes.length);
  const lineAt = (index) => {
    const begin = index === 0 ? from : nexts[index - 1];
    const next = nexts[index];
    if (isOpen && index === length - 1) return { start: begin, end: next, next };
    const at = next - unit;
    const end = separator === LF && at - unit >= begin && isCr(at - unit) ? at - unit : at;
    return { start: begin, end, next };
  };
  return {
    length,
    at: (index) => {
      const place = index < 0 ? length + index : index;
      return place >= 0 && place < length ? lineAt(place) : undefined;
    },
  };
}

/** `lf`, `crlf`, `cr`, `mixed`, or `none` for a text without any line end. */
export function lineEndingOf(bytes, lines, encoding) {
  const unit = unitOf(encoding);
  const isBigEndian = encoding.endsWith('be');
  const kinds = new Set();
  for (let index = 0; index < lines.length; index += 1) {
    const { end, next } = lines.at(index);
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
  // Looked at first: asking for each of millions of empty lines takes longer.
  if (unit === 1) return bytes[from] === value ? from : bytes.indexOf(value, from);
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
  if (unit === 1) return bytes[at];
  return isBigEndian ? bytes.readUIntBE(at, unit) : bytes.readUIntLE(at, unit);
}
