/** UTF-16 units that mean something to the text protocol. */
export const NEW_LINE = 10;
export const SPACE = 32;
export const SLASH = 47;
export const LESS = 60;
export const GREATER = 62;
export const BRACKET = 91;
export const BACKTICK = 96;
export const TILDE = 126;
export const OPENING_QUOTE = 0x30_0c;
export const CLOSING_QUOTE = 0x30_0d;
/** 始 and 末, which tell the quotes of values from other quotes. */
export const BEGIN = 0x59_cb;
export const END = 0x67_2b;
