import { isBlank } from './text-at.ts';

/** UTF-16 units that a key may have. */
const LONGEST_KEY = 256;
/** Units before an opening quote among which its key is looked for. */
export const KEY_REACH = 320;

/** Letters, marks and digits of any script. */
const KEY_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** Of ASCII also some signs that names of properties have. */
const IS_KEY_CODE = Array.from({ length: 128 }, (_, code) => /[\w.$@-]/.test(String.fromCharCode(code)));

/**
 * The key right before an opening quote at `to`. It is looked for back to `from`, which must not be further away than
 * `KEY_REACH` units.
 */
export const keyBefore = (text: string, from: number, to: number): string | null => {
  let at = skipBlanks(text, from, to);
  const colon = at > from ? text.charCodeAt(at - 1) : 0;
  if (colon !== 58 && colon !== 0xff_1a) return null;
  at = skipBlanks(text, from, at - 1);
  const end = at;
  while (at > from) {
    const code = text.charCodeAt(at - 1);
    const width = code < 128 ? (IS_KEY_CODE[code] === true ? 1 : 0) : widthOfKeyCharacter(text, from, at);
    if (width === 0) break;
    at -= width;
  }
  // A key that reaches to the edge of what is looked at may have begun before it.
  const isWhole = at > from || to - from < KEY_REACH;
  return end > at && end - at <= LONGEST_KEY && isWhole ? text.slice(at, end) : null;
};

/** Whether a whole text can stand as a key. */
export const isKey = (text: string): boolean =>
  text.length <= LONGEST_KEY && keyBefore(`${text}:`, 0, text.length + 1) === text;

/** The key that the last line of a text begins with, for a diagnostic about a value that lacks its opening quote. */
export const keyOfLine = (text: string): string | null => {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const colon = line.search(/[:：]/);
  return colon === -1 ? null : keyBefore(line, 0, colon + 1);
};

const skipBlanks = (text: string, from: number, to: number): number => {
  let at = to;
  while (at > from && text.charCodeAt(at - 1) !== 13 && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
};

/** Units of the character before an index when a key may have it, otherwise 0. */
const widthOfKeyCharacter = (text: string, from: number, index: number): 0 | 1 | 2 => {
  const code = text.charCodeAt(index - 1);
  const isLowSurrogate = code >= 0xdc_00 && code <= 0xdf_ff && index - 1 > from;
  const character = isLowSurrogate ? text.slice(index - 2, index) : text.charAt(index - 1);
  return KEY_CHARACTER.test(character) ? (isLowSurrogate ? 2 : 1) : 0;
};
