/** Whether a literal stands at an index; `maybe` when the text ends before that can be said. */
export const standsAt = (text: string, index: number, literal: string): boolean | 'maybe' => {
  const length = Math.min(literal.length, text.length - index);
  const isCut = length < literal.length;
  // The last unit first: what only begins alike is told apart at once. And a short literal unit by unit, which is over
  // before a call of `startsWith` would have begun.
  if (!isCut && text.charCodeAt(index + length - 1) !== literal.charCodeAt(length - 1)) return false;
  if (!isCut && length > 8) return text.startsWith(literal, index);
  for (let offset = 0; offset < length; offset += 1) {
    if (text.charCodeAt(index + offset) !== literal.charCodeAt(offset)) return false;
  }
  return isCut ? 'maybe' : true;
};

/** The same for a literal in lower case, in whichever case the text has it. */
export const standsInAnyCaseAt = (text: string, index: number, literal: string): boolean | 'maybe' => {
  const length = Math.min(literal.length, text.length - index);
  const isCut = length < literal.length;
  if (!isCut && lowerCode(text.charCodeAt(index + length - 1)) !== literal.charCodeAt(length - 1)) return false;
  for (let offset = 0; offset < length; offset += 1) {
    if (lowerCode(text.charCodeAt(index + offset)) !== literal.charCodeAt(offset)) return false;
  }
  return isCut ? 'maybe' : true;
};

const lowerCode = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/** White space other than a line feed, as `\s` has it. */
export const isBlank = (code: number): boolean => {
  if (code === 32 || code === 9) return true;
  if (code < 160) return code >= 11 && code <= 13;
  return (
    code === 0xa0 ||
    code === 0x30_00 ||
    code === 0xfe_ff ||
    code === 0x16_80 ||
    (code >= 0x20_00 && code <= 0x20_0a) ||
    code === 0x20_28 ||
    code === 0x20_29 ||
    code === 0x20_2f ||
    code === 0x20_5f
  );
};
