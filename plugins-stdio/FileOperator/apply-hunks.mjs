import { oldSide } from './place-hunks.mjs';
import { encode } from '../lib/text-encodings.mjs';
import { LINE_ENDINGS } from './text-lines.mjs';

/**
 * The bytes of a text after its hunks: lines that stay keep their very bytes, new ones are encoded as the text is and take
 * the line end of the line that they follow.
 */
export function applyHunks(text, places) {
  const { bytes, encoding, lines, bomLength } = text;
  const usual = encode(LINE_ENDINGS[text.lineEnding] ?? '\n', encoding);
  const kept = ({ start, end, next }) => ({ content: bytes.subarray(start, end), lineEnd: bytes.subarray(end, next) });
  const result = [];
  const endHere = () => {
    const before = result.at(-1)?.lineEnd ?? (lines.length > 0 ? kept(lines.at(0)).lineEnd : usual);
    return before.length > 0 ? before : usual;
  };
  let next = 0;
  for (const place of places) {
    while (next < place.at) result.push(kept(lines.at(next++)));
    const isAtEnd = place.at + oldSide(place).length === lines.length;
    for (const { sign, text: line } of place.lines) {
      if (sign === '+') result.push({ content: encode(line, encoding), lineEnd: endHere() });
      else {
        if (sign === ' ') result.push(kept(lines.at(next)));
        next += 1;
      }
    }
    if (place.newUnended && isAtEnd && result.length > 0) result.at(-1).lineEnd = Buffer.alloc(0);
  }
  while (next < lines.length) result.push(kept(lines.at(next++)));
  const parts = [bytes.subarray(0, bomLength)];
  for (const [index, { content, lineEnd }] of result.entries()) {
    // What was the last line, without an end, may have one after it now.
    const isJoined = lineEnd.length === 0 && index < result.length - 1;
    parts.push(content, isJoined ? usual : lineEnd);
  }
  return Buffer.concat(parts);
}
