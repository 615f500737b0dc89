/** The literals of the text protocol, exactly as they must stand. */
export const BLOCK_START = '<<<[TOOL_REQUEST]>>>';
export const BLOCK_END = '<<<[END_TOOL_REQUEST]>>>';

/** Opens an example: a block that is only shown. `_exp` does too. It reaches to the end marker of either kind. */
export const EXAMPLE_START = '<<<[TOOL_REQUEST_EXP]>>>';
export const EXAMPLE_END = '<<<[END_TOOL_REQUEST_EXP]>>>';

export const VALUE_START = '「始」';
export const VALUE_END = '「末」';
/** Between these, everything but the closing one is part of the value. */
export const ESCAPED_VALUE_START = '「始ESCAPE」';
export const ESCAPED_VALUE_END = '「末ESCAPE」';
