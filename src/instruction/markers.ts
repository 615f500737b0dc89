/** The literals of the text protocol. Quotes and colons accept both their ASCII and their full-width form where noted. */
export const BLOCK_START = '<<<[TOOL_REQUEST]>>>';
export const BLOCK_END = '<<<[END_TOOL_REQUEST]>>>';

/** How a value that must show a marker writes it; the marker is restored once the value has been taken out. */
export const ESCAPED_MARKERS: readonly (readonly [escaped: string, marker: string])[] = [
  ['<<<[TOOL_REQUEST_ESCAPE]>>>', BLOCK_START],
  ['<<<[END_TOOL_REQUEST_ESCAPE]>>>', BLOCK_END],
];

/** Opening and closing quote of a value, the escaping pair first because it begins like the plain one. */
export const VALUE_QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['「始ESCAPE」', '「末ESCAPE」'],
  ['「始」', '「末」'],
];
