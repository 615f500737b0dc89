import { DEFAULT_LIMITS } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';

/** The model that a body names, with the bytes of its value (quotes included). */
export type FoundModel =
  | { readonly ok: true; readonly model: string; readonly start: number; readonly end: number }
  | { readonly ok: false; readonly reason: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Bytes in which `"model"` can be written, every letter escaped. */
const KEY_BYTES = 32;
/** Bytes that a model's name may have. */
const MODEL_BYTES = 1_024;

/**
 * Finds the field `model` of a JSON object without reading anything else of it: values are skipped by their quotes and
 * brackets. A body that names a model twice, in whatever case, is refused: the upstream may take the other one.
 */
export const findModel = (body: Uint8Array): FoundModel => {
  const hasMark = BYTE_ORDER_MARK.every((byte, index) => body[index] === byte);
  let at = skipBlank(body, hasMark ? BYTE_ORDER_MARK.length : 0);
  if (body[at] !== 0x7b) return refused('must be a JSON object');
  at = skipBlank(body, at + 1);
  let found: FoundModel | null = null;
  while (body[at] === QUOTE) {
    const keyEnd = endOfString(body, at);
    const colon = keyEnd === -1 ? -1 : skipBlank(body, keyEnd);
    if (body[colon] !== COLON) return BROKEN;
    const start = skipBlank(body, colon + 1);
    const end = endOfValue(body, start);
    if (end === -1) return BROKEN;
    if (keyEnd - at <= KEY_BYTES && textAt(body, at, keyEnd)?.toLowerCase() === 'model') {
      if (found !== null) return refused('names a model more than once');
      const model = end - start <= MODEL_BYTES ? textAt(body, start, end) : null;
      if (model === null || model === '') return refused('must name its model in a text');
      found = { ok: true, model, start, end };
    }
    at = skipBlank(body, end);
    if (body[at] !== COMMA) break;
    at = skipBlank(body, at + 1);
    if (body[at] !== QUOTE) return BROKEN;
  }
  if (body[at] !== 0x7d || skipBlank(body, at + 1) < body.length) return BROKEN;
  return found ?? refused('names no model');
};

const refused = (reason: string): FoundModel => ({ ok: false, reason });
const BROKEN = refused('is not JSON');

const skipBlank = (body: Uint8Array, from: number): number => {
  let at = from;
  while (BLANK.has(body[at])) at += 1;
  return at;
};

/** Index behind the quote that closes the string opened at `open`, or -1. */
const endOfString = (body: Uint8Array, open: number): number => {
  let close = body.indexOf(QUOTE, open + 1);
  while (close !== -1) {
    let backslashes = 0;
    while (body[close - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
    close = body.indexOf(QUOTE, close + 1);
  }
  return -1;
};

/** Index behind the value that begins at `start`, or -1. */
const endOfValue = (body: Uint8Array, start: number): number => {
  if (body[start] === QUOTE) return endOfString(body, start);
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = endOfString(body, at) - 1;
      if (at < 0) return -1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at > start ? at : -1;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || BLANK.has(byte))) {
      return at > start ? at : -1;
    }
  }
  return -1;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The text that a JSON string says; null for any other value. */
const textAt = (body: Uint8Array, start: number, end: number): string | null => {
  if (body[start] !== QUOTE) return null;
  try {
    const parsed = parseJson(strictUtf8.decode(body.subarray(start, end)), DEFAULT_LIMITS);
    return parsed.ok ? (parsed.value as string) : null;
  } catch {
    return null;
  }
};
