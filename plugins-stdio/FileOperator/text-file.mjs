import { detectEncoding } from '../lib/detect-encoding.mjs';
import { byteOrderMarkOf, decode, encode, firstUnencodable, isExact } from '../lib/text-encodings.mjs';
import { lineEndingOf, LINE_ENDINGS, splitLines, withLineEnding } from './text-lines.mjs';

/**
 * A text as bytes and as what they say: `{ bytes, encoding, isCertain, bomLength, lines, lineEnding }`; null when the
 * bytes are no text. `encoding` overrides the detection; a byte order mark is then still a mark.
 */
export function parseText(bytes, { encoding, fallback } = {}) {
  const detected = encoding
    ? { encoding, isCertain: true, bomLength: startsWithMark(bytes, encoding) ? byteOrderMarkOf(encoding).length : 0 }
    : detectEncoding(bytes, { fallback });
  if (detected === null) return null;
  const lines = splitLines(bytes, detected.encoding, detected.bomLength);
  return { bytes, ...detected, lines, lineEnding: lineEndingOf(bytes, lines, detected.encoding) };
}

/** The contents of every line, without line ends. */
export function lineTexts({ bytes, encoding, bomLength, lines }) {
  const separator = /\r\n|\n/;
  const whole = decode(bytes.subarray(bomLength), encoding);
  const isCr = !whole.includes('\n');
  const texts = whole.split(isCr ? '\r' : separator);
  if (texts.at(-1) === '') texts.pop();
  if (texts.length === lines.length) return texts;
  // A broken character swallowed a line end: then each line for itself.
  return Array.from({ length: lines.length }, (_, index) => {
    const { start, end } = lines.at(index);
    return decode(bytes.subarray(start, end), encoding);
  });
}

/** Whether a line's bytes come back from its text, so that a part of it may be replaced. */
export function isLineExact({ bytes, encoding }, { start, end }, text) {
  return isExact(bytes.subarray(start, end), text, encoding);
}

/**
 * Bytes for a text: `{ bytes }`, or `{ missing }`, the first character that the encoding does not have.
 * `lineEnding` (`lf`, `crlf`, `cr`) replaces the line ends that the text has; otherwise they stay.
 */
export function renderText(text, { encoding, bom, lineEnding }) {
  const adjusted = lineEnding in LINE_ENDINGS ? withLineEnding(text, lineEnding) : text;
  const missing = firstUnencodable(adjusted, encoding);
  if (missing !== null) return { missing };
  const mark = bom ? byteOrderMarkOf(encoding) : Buffer.alloc(0);
  return { bytes: Buffer.concat([mark, encode(adjusted, encoding)]) };
}

/** Whether the last line has an end, as an editor would want it. */
export function endsWithLineEnd({ lines }) {
  const last = lines.at(-1);
  return last !== undefined && last.next > last.end;
}

function startsWithMark(bytes, encoding) {
  const mark = byteOrderMarkOf(encoding);
  return mark.length > 0 && bytes.subarray(0, mark.length).equals(mark);
}
