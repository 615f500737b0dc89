import { checkJsonValue, type JsonBounds } from './check-json-value.ts';
import type { Issue } from './issue.ts';
import { messageOf } from './message-of.ts';

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issue: Issue };

/**
 * The one way by which JSON text enters. Depth is bounded before `JSON.parse` (which accepts thousands of levels that
 * later code could not walk); node count, `__proto__` keys and lone surrogates are checked after it.
 */
export const parseJson = (text: string, bounds: JsonBounds): ParsedJson => {
  if (nestingOf(text, bounds.jsonDepth) > bounds.jsonDepth) {
    return refuse({ pointer: '', message: `is nested deeper than ${bounds.jsonDepth} levels` });
  }
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

/** Levels of nesting of a JSON text, counted no further than just past `enough`. Strings are skipped natively. */
const nestingOf = (text: string, enough: number): number => {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index === -1) return deepest;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > enough) return deepest;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
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
