import { isBlank } from './text-at.ts';

/** UTF-16 units that a key may have. */
const LONGEST_KEY = 256;
/** Units before an opening quote among which its key is looked for. */
export const KEY_REACH = 320;

/** Letters, marks and digits of any script, and the signs that names of properties have. */
const KEY_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

/** The key right before an opening quote: `before` is the text up to the quote, of which the last `KEY_REACH` units count. */
export const keyBefore = (before: string): string | null => {
  let at = skipBlanks(before, before.length);
  const colon = before.charCodeAt(at - 1);
  if (colon !== 58 && colon !== 0xff_1a) return null;
  at = skipBlanks(before, at - 1);
  const end = at;
  while (at > 0) {
    const width = widthOfKeyCharacter(before, at);
    if (width === 0) break;
    at -= width;
  }
  // A key that reaches to the edge of what is looked at may have begun before it.
  const isWhole = at > 0 || before.length < KEY_REACH;
  return end > at && end - at <= LONGEST_KEY && isWhole ? before.slice(at, end) : null;
};

/** Whether a whole text can stand as a key. */
export const isKey = (text: string): boolean => text.length <= LONGEST_KEY && keyBefore(`${text}:`) === text;

/** The key that a line begins with, for a diagnostic about a value that lacks its opening quote. */
export const keyOfLine = (before: string): string | null => {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const colon = line.search(/[:：]/);
  return colon === -1 ? null : keyBefore(line.slice(0, colon + 1));
};

const skipBlanks = (text: string, from: number): number => {
  let at = from;
  while (at > 0 && text.charCodeAt(at - 1) !== 13 && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
};

/** Units of the character before an index when a key may have it, otherwise 0. */
const widthOfKeyCharacter = (text: string, index: number): 0 | 1 | 2 => {
  const code = text.charCodeAt(index - 1);
  if (code < 128) return isAsciiKeyCode(code) ? 1 : 0;
  const isLowSurrogate = code >= 0xdc_00 && code <= 0xdf_ff && index > 1;
  const character = isLowSurrogate ? text.slice(index - 2, index) : text.charAt(index - 1);
  return KEY_CHARACTER.test(character) ? (isLowSurrogate ? 2 : 1) : 0;
};

/** `A-Z`, `a-z`, `0-9` and `_ - . $ @`. */
const isAsciiKeyCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  code === 36 ||
  code === 64;
