/**
 * A literal of the protocol that must not act in a value is written with `_ESCAPE` before its last bracket:
 * `<<<[TOOL_REQUEST_ESCAPE]>>>`, `「末_ESCAPE」`. Reading takes one `_ESCAPE` away, writing puts one in, so that every text
 * can be written, also one that holds such a literal.
 */
const LITERAL = /(<<<\[(?:END_)?TOOL_REQUEST|「[始末](?:ESCAPE)?)((?:_ESCAPE)*)(\]>>>|」)/g;
const ESCAPED_LITERAL = /(<<<\[(?:END_)?TOOL_REQUEST|「[始末](?:ESCAPE)?)_ESCAPE((?:_ESCAPE)*)(\]>>>|」)/g;

const ESCAPE = '_ESCAPE';

export const escapeLiterals = (value: string): string => value.replaceAll(LITERAL, '$1$2_ESCAPE$3');

export const restoreLiterals = (value: string): string =>
  // Looking for the one word first is much cheaper, and nearly no value has it.
  value.length > ESCAPE.length && value.includes(ESCAPE) ? value.replaceAll(ESCAPED_LITERAL, '$1$2$3') : value;
