import { analyse } from 'chardet';
import { decode, ENCODINGS, isExact, readByteOrderMark } from './text-encodings.mjs';

const SAMPLE_BYTES = 256 * 1024;
const CLEAR_CONFIDENCE = 50;
/** A share of zero bytes on one side of each pair that plain text in another encoding never has. */
const UTF16_ZERO_SHARE = 0.3;
const UNLIKELY_CONTROLS = new Set([
  0, 1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31,
]);
const CONTROL_SHARE = 0.02;
/** Broken sequences among those beyond ASCII that a UTF-8 text may have; chance makes far more of them elsewhere. */
const BROKEN_UTF8_SHARE = 0.02;
/** Files of these kinds may hold long stretches of plain text at their beginning. */
const BINARY_SIGNATURES = ['%PDF-', 'PK\u0003\u0004', '\u0089PNG', 'GIF8', '\u00ff\u00d8\u00ff'];

/**
 * `{ encoding, bomLength, isCertain }` of a text, or null for bytes that are no text. Certain are a byte order mark and
 * UTF-8 that is valid throughout; the rest is guessed from the bytes: UTF-8 when nearly all of it is that, or else an
 * encoding that gives them back unchanged. `fallback` is for texts too short to tell.
 */
export function detectEncoding(bytes, { fallback = 'gb18030' } = {}) {
  const mark = readByteOrderMark(bytes);
  if (mark && bytes.length % (mark.encoding.startsWith('utf-32') ? 4 : 1) === 0) {
    return { encoding: mark.encoding, bomLength: mark.length, isCertain: true };
  }
  const utf16 = guessUtf16(bytes);
  if (utf16) return { encoding: utf16, bomLength: 0, isCertain: false };
  if (isBinary(bytes)) return null;
  if (isUtf8(bytes)) return { encoding: 'utf-8', bomLength: 0, isCertain: true };
  if (isNearlyUtf8(bytes)) return { encoding: 'utf-8', bomLength: 0, isCertain: false };
  return { encoding: guessLegacy(bytes, fallback), bomLength: 0, isCertain: false };
}

export function isUtf8(bytes) {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A log with one broken line is still UTF-8. */
function isNearlyUtf8(bytes) {
  let [whole, broken] = [0, 0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (let at = 0; at < sample.length;) {
    const lead = sample[at];
    const length =
      lead < 0x80
        ? 1
        : lead >= 0xc2 && lead < 0xe0
          ? 2
          : lead >= 0xe0 && lead < 0xf0
            ? 3
            : lead >= 0xf0 && lead < 0xf5
              ? 4
              : 0;
    let followers = 1;
    while (followers < length && (sample[at + followers] & 0xc0) === 0x80) followers += 1;
    const isWhole = length > 0 && followers === length;
    if (!isWhole && at + length <= sample.length) broken += 1;
    else if (length > 1) whole += 1;
    at += isWhole ? length : 1;
  }
  return whole > 0 && broken / (whole + broken) <= BROKEN_UTF8_SHARE;
}

function guessUtf16(bytes) {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return null;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (let index = 0; index < sample.length; index += 1) if (sample[index] === 0) zeros[index % 2] += 1;
  const [even, odd] = zeros.map((count) => count / (sample.length / 2));
  const encoding =
    odd > UTF16_ZERO_SHARE && even < odd / 10
      ? 'utf-16le'
      : even > UTF16_ZERO_SHARE && odd < even / 10
        ? 'utf-16be'
        : null;
  if (encoding === null) return null;
  // A table of small numbers has zeros like that too; its characters are controls.
  const text = decode(sample, encoding);
  const controls = [...text].filter(
    (character) => character === '\ufffd' || UNLIKELY_CONTROLS.has(character.codePointAt(0)),
  ).length;
  return controls / text.length < CONTROL_SHARE ? encoding : null;
}

function isBinary(bytes) {
  const head = bytes.subarray(0, 8).toString('latin1');
  if (BINARY_SIGNATURES.some((signature) => head.startsWith(signature))) return true;
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) return true;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) if (UNLIKELY_CONTROLS.has(byte)) controls += 1;
  return controls / Math.max(1, sample.length) > CONTROL_SHARE;
}

function guessLegacy(bytes, fallback) {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const clear = analyse(sample)
    .filter(({ confidence }) => confidence >= CLEAR_CONFIDENCE)
    .map(({ name }) => name.toLowerCase())
    .map((name) => (name === 'iso-8859-1' ? 'windows-1252' : name));
  const candidates = [...clear, fallback, 'windows-1252'].filter((name) => ENCODINGS.includes(name));
  const fits = (encoding) => isExact(bytes, decode(bytes, encoding), encoding);
  return candidates.find(fits) ?? 'iso-8859-1'; // which has a character for every byte
}
