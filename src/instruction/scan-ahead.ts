import { LESS, NEW_LINE, SPACE } from './character-codes.ts';
import { isBlank } from './text-at.ts';

/** Characters that are looked at one by one before a search: where marks are dense, a search for each costs more. */
export const NEAR = 24;

/** Where one of two characters stands, if that is near; otherwise the index up to which neither does. */
export const nearestOf = (text: string, from: number, first: number, second: number): number => {
  const near = Math.min(from + NEAR, text.length);
  let at = from;
  while (at < near) {
    const code = text.charCodeAt(at);
    if (code === first || code === second) break;
    at += 1;
  }
  return at;
};

/** The index behind a run of one character. */
export const endOfRun = (text: string, from: number, mark: number): number => {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === mark) at += 1;
  return at;
};

/**
 * Blanks between the beginning of its line and an index, -1 when there is more than blanks. Of what stood before `start` on
 * that line, `before` says the same.
 */
export const blanksUpTo = (text: string, start: number, before: number, index: number): number => {
  const previous = index > start ? text.charCodeAt(index - 1) : SPACE;
  if (previous === NEW_LINE) return 0;
  if (previous > SPACE && previous < 128) return -1;
  let at = index;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  if (at === start) return before === -1 ? -1 : before + index - at;
  return text.charCodeAt(at - 1) === NEW_LINE ? index - at : -1;
};

/** Where the `<` at the end of a text begin that may become a marker. */
export const partialMarker = (text: string, from: number): number => {
  let at = text.length;
  while (at > from && text.length - at < 3 && text.charCodeAt(at - 1) === LESS) at -= 1;
  return at;
};
