import { checkJsonValue, type JsonBounds } from './check-json-value.ts';
import type { Issue } from './issue.ts';
import { messageOf } from './message-of.ts';

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issue: Issue };

/**
 * The one way by which JSON text enters. Depth and the number of values are bounded before `JSON.parse`, which accepts
 * thousands of levels that later code could not walk, and makes an object of every two characters that say `[]`;
 * `__proto__` keys and lone surrogates are checked after it.
 */
export const parseJson = (text: string, bounds: JsonBounds): ParsedJson => {
  const tooMuch = boundsFault(text, bounds);
  if (tooMuch !== null) return refuse({ pointer: '', message: tooMuch });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse({ pointer: '', message: `is not JSON: ${messageOf(error)}` });
  }
  const found = checkJsonValue(value, bounds);
  return found === null ? { ok: true, value } : refuse(found);
};

const refuse = (issue: Issue): ParsedJson => ({ ok: false, issue });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Which bound a JSON text goes beyond, or null. The number of values is exact where the text is JSON: one at the top,
 * one more for each comma, and one for each container that has anything in it; a key that is written twice counts twice.
 * Strings are skipped natively.
 */
const boundsFault = (text: string, { jsonDepth, jsonNodes }: JsonBounds): string | null => {
  let depth = 0;
  let nodes = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index === -1) return null;
    } else if (code === COMMA) {
      nodes += 1;
      if (nodes > jsonNodes) return tooMany(jsonNodes);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > jsonDepth) return `is nested deeper than ${jsonDepth} levels`;
      if (!isEmptyAt(text, index)) nodes += 1;
      if (nodes > jsonNodes) return tooMany(jsonNodes);
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return null;
};

const tooMany = (jsonNodes: number): string => `has more than ${jsonNodes} values`;

/** Whether the container opened at `open` is closed with nothing but white space in between. */
const isEmptyAt = (text: string, open: number): boolean => {
  let next = open + 1;
  while (text.charCodeAt(next) <= 0x20) next += 1;
  const code = text.charCodeAt(next);
  return code === 0x7d || code === 0x5d;
};

/** Index of the quote that closes the string opened at `open`, or -1. */
const endOfString = (text: string, open: number): number => {
  let close = text.indexOf('"', open + 1);
  while (close !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close;
    close = text.indexOf('"', close + 1);
  }
  return -1;
};
