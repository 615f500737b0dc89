import { setImmediate } from 'node:timers/promises';
import { encode } from '../lib/text-encodings.mjs';
import { isLineExact, lineTexts, parseText } from './text-file.mjs';
import { LINE_ENDINGS, withLineEnding } from './text-lines.mjs';

const SHOWN_LINES = 10;
/** Replacements between two looks at whether the call was cancelled. */
const EDITS_BETWEEN_PAUSES = 10_000;

/**
 * Replaces exact pieces of text, one edit after the other: `{ bytes, replacements }`, or `{ rejected }` with the edit that
 * was not found as often as it expects. Line ends in `search` fit those of the file; bytes around a piece stay as they are.
 */
export async function applyEdits(text, edits, signal) {
  let current = text;
  const replacements = [];
  for (const [index, edit] of edits.entries()) {
    const outcome = await applyEdit(current, edit, signal);
    if (outcome.rejected) return { rejected: { edit: index + 1, ...outcome.rejected } };
    replacements.push(outcome.lines);
    current = { ...parseText(outcome.bytes, { encoding: text.encoding }), isCertain: text.isCertain };
  }
  return { bytes: current.bytes, replacements };
}

async function applyEdit(text, { search, replace, expectedCount = 1 }, signal) {
  const { bytes, encoding, lines } = text;
  const texts = lineTexts(text);
  const starts = charStarts(texts);
  const whole = texts.join('\n') + (lines.at(-1)?.next > lines.at(-1)?.end ? '\n' : '');
  const wanted = withLineEnding(search, 'lf');
  const found = occurrences(whole, wanted);
  if (found.length !== expectedCount) {
    const places = found.slice(0, SHOWN_LINES).map((at) => lineAt(starts, at) + 1);
    return { rejected: { reason: 'count', found: found.length, expected: expectedCount, lines: places } };
  }
  // Places come in order, so of a long line only what follows the last one is encoded.
  let last = { line: -1, offset: 0, byte: 0 };
  const toByte = (at) => {
    const line = lineAt(starts, at);
    if (line >= lines.length) return bytes.length;
    const offset = at - starts[line];
    const place = lines.at(line);
    if (offset > texts[line].length) return place.next;
    if (offset === texts[line].length) return place.end;
    const known = last.line === line ? last : { line, offset: 0, byte: place.start };
    const between = encode(texts[line].slice(known.offset, offset), encoding);
    last = { line, offset, byte: known.byte + between.length };
    return last.byte;
  };
  const touched = new Set(found.flatMap((at) => [lineAt(starts, at), lineAt(starts, at + wanted.length)]));
  for (const line of touched) {
    if (line < lines.length && !isLineExact(text, lines.at(line), texts[line]))
      return { rejected: { reason: 'inexact', line: line + 1 } };
  }
  const parts = [];
  let done = 0;
  const replacements = new Map();
  const replacementFor = (line) => {
    const lineEnd = lineEndNear(text, line);
    if (!replacements.has(lineEnd)) {
      replacements.set(lineEnd, encode(lineEnd === null ? replace : withLineEnding(replace, lineEnd), encoding));
    }
    return replacements.get(lineEnd);
  };
  for (const [index, at] of found.entries()) {
    if (index % EDITS_BETWEEN_PAUSES === EDITS_BETWEEN_PAUSES - 1) {
      await setImmediate();
      signal.throwIfAborted();
    }
    const [start, end] = [toByte(at), toByte(at + wanted.length)];
    parts.push(bytes.subarray(done, start), replacementFor(lineAt(starts, at)));
    done = end;
  }
  parts.push(bytes.subarray(done));
  return { bytes: Buffer.concat(parts), lines: found.map((at) => lineAt(starts, at) + 1) };
}

/** The kind of line end of that line, or else of the text; null where there is none to go by. */
function lineEndNear({ bytes, encoding, lines, lineEnding }, index) {
  const line = lines.at(index);
  if (line !== undefined && line.next > line.end) {
    const own = bytes.subarray(line.end, line.next);
    return Object.keys(LINE_ENDINGS).find((kind) => encode(LINE_ENDINGS[kind], encoding).equals(own));
  }
  return lineEnding in LINE_ENDINGS ? lineEnding : null;
}

function occurrences(whole, wanted) {
  const found = [];
  for (let at = whole.indexOf(wanted); at !== -1; at = whole.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function charStarts(texts) {
  const starts = [0];
  for (const text of texts) starts.push(starts.at(-1) + text.length + 1);
  return starts;
}

/** The line (from 0) that holds that character; the number of lines for the end of the text. */
function lineAt(starts, at) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
