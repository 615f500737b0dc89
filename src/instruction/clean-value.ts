import { restoreLiterals } from './literals.ts';
import { isBlank } from './text-at.ts';

/**
 * A value as it was meant: one line break at either end belongs to the layout, with the blanks that indent the closing
 * quote; all other white space belongs to the value.
 */
export const cleanValue = (raw: string): string => restoreLiterals(raw.slice(leadingBreak(raw), trailingBreak(raw)));

const leadingBreak = (raw: string): number => (raw.startsWith('\n') ? 1 : raw.startsWith('\r\n') ? 2 : 0);

/** Where the last line break begins that only blanks follow; the end when there is none. */
const trailingBreak = (raw: string): number => {
  const leading = leadingBreak(raw);
  let at = raw.length;
  while (at > leading && raw.charCodeAt(at - 1) !== 13 && isBlank(raw.charCodeAt(at - 1))) at -= 1;
  if (at === leading || raw.charCodeAt(at - 1) !== 10) return raw.length;
  return at - 1 > leading && raw.charCodeAt(at - 2) === 13 ? at - 2 : at - 1;
};
