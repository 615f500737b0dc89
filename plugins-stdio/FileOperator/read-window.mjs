import { constants } from 'node:fs';
import { factsOf, inexact } from './text-facts.mjs';
import { fault, placeName } from './faults.mjs';
import { CONTENT_BYTES } from './limits.mjs';
import { readRange } from '../lib/read-bytes.mjs';
import { decode, isExact, unitOf } from '../lib/text-encodings.mjs';
import { parseText } from './text-file.mjs';

const LF = 0x0a;
/** Bytes at the beginning that tell the encoding, and before the window in which the begin of its line is looked for. */
const CONTEXT_BYTES = 64 * 1024;
const LONGEST_CHARACTER_BYTES = 4;

/** The text of a range of bytes, moved inwards to whole characters. Never reads more of the file than it has to. */
export async function readWindow(
  entry,
  { folder, name },
  { byteStart = 0, byteLength = CONTENT_BYTES, encoding },
  fallback,
) {
  const { handle, stats } = await folder.openFile(name, constants.O_RDONLY);
  try {
    const size = Number(stats.size);
    if (byteStart > size) {
      throw fault('FILES.RANGE_OUTSIDE', entry, `it has ${size} bytes; byte ${byteStart} is not there.`, {
        target: 'byteStart',
        details: { sizeBytes: size },
      });
    }
    const head = parseHead(await readRange(handle, 0, CONTEXT_BYTES), size, { encoding, fallback });
    if (head === null) throw fault('FILES.BINARY', entry, 'it is no text. Read it whole with "as": "resource".');
    const base = Math.max(0, byteStart - CONTEXT_BYTES);
    const length = Math.min(byteLength, CONTENT_BYTES);
    // A little more than was asked for: a mark at the beginning, and the first and last character may need it.
    const around = await readRange(handle, base, byteStart - base + length + 3 * LONGEST_CHARACTER_BYTES);
    const from = Math.max(byteStart - base, base === 0 ? head.bomLength : 0);
    const to = Math.min(Math.max(from, byteStart - base + length), around.length);
    const [start, end] = wholeCharacters(around, { base, from, to, encoding: head.encoding });
    const part = around.subarray(start, end);
    const content = decode(part, head.encoding);
    const [startByte, endByte] = [base + start, base + end];
    return {
      data: {
        ...factsOf(entry, size, head),
        byteStart: startByte,
        byteEnd: endByte,
        nextByte: endByte < size ? endByte : null,
        content,
      },
      warnings: isExact(part, content, head.encoding) ? [] : [inexact(head.encoding)],
      presentation: {
        summary: `${placeName(entry)}, bytes ${startByte} to ${endByte} of ${size}, ${head.encoding}`,
        preferredView: 'text-file',
      },
    };
  } finally {
    await handle.close();
  }
}

/** What the beginning of a file tells; of a longer one up to its last whole line, or else its last whole character. */
function parseHead(bytes, size, options) {
  if (bytes.length === size || bytes.includes(0)) return parseText(bytes, options);
  const lastLine = bytes.lastIndexOf(LF);
  if (lastLine !== -1) return parseText(bytes.subarray(0, lastLine + 1), options);
  const guesses = [0, 1, 2, 3].map((cut) => parseText(bytes.subarray(0, bytes.length - cut), options));
  return guesses.find((guess) => guess?.isCertain) ?? guesses[0];
}

/** The range `from` to the end of `bytes`, moved to whole characters; `base` is where in the file `bytes` begins. */
function wholeCharacters(bytes, { base, from, to, encoding }) {
  const isBoundary = boundaryTest(bytes, base, encoding);
  const start = nearest(from, 1, isBoundary, bytes.length);
  const inwards = to === bytes.length ? to : nearest(to, -1, isBoundary, bytes.length);
  // A range shorter than one character gives that character.
  return [start, inwards > start ? inwards : nearest(Math.max(to, start + 1), 1, isBoundary, bytes.length)];
}

function nearest(from, step, isBoundary, length) {
  for (let moved = 0; moved <= LONGEST_CHARACTER_BYTES; moved += 1) {
    const at = from + moved * step;
    if (at <= 0) return 0;
    if (at >= length) return length;
    if (isBoundary(at)) return at;
  }
  return from;
}

function boundaryTest(bytes, base, encoding) {
  const unit = unitOf(encoding);
  if (encoding === 'utf-8') return (at) => (bytes[at] & 0xc0) !== 0x80;
  if (unit > 1) {
    const isLowSurrogate = (at) => {
      const high = encoding === 'utf-16le' ? bytes[at + 1] : encoding === 'utf-16be' ? bytes[at] : 0;
      return (high & 0xfc) === 0xdc;
    };
    return (at) => (base + at) % unit === 0 && !isLowSurrogate(at);
  }
  return (at) => {
    const part = bytes.subarray(bytes.lastIndexOf(LF, at - 1) + 1, at);
    return isExact(part, decode(part, encoding), encoding);
  };
}
