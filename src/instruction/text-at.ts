/** Whether a literal stands at an index; `maybe` when the text ends before that can be said. */
export const standsAt = (text: string, index: number, literal: string): boolean | 'maybe' => {
  if (text.startsWith(literal, index)) return true;
  return text.length - index < literal.length && literal.startsWith(text.slice(index)) && 'maybe';
};

/** The same for a literal in lower case, in whichever case the text has it. */
export const standsInAnyCaseAt = (text: string, index: number, literal: string): boolean | 'maybe' => {
  for (let offset = 0; offset < literal.length; offset += 1) {
    if (index + offset >= text.length) return 'maybe';
    const code = text.charCodeAt(index + offset);
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    if (lower !== literal.charCodeAt(offset)) return false;
  }
  return true;
};

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
