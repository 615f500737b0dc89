import { LESS, OPENING_QUOTE, SLASH } from './character-codes.ts';
import { BLOCK_END, BLOCK_START, ESCAPED_VALUE_END, ESCAPED_VALUE_START, VALUE_END, VALUE_START } from './markers.ts';

/** Opening quotes that an example writes, in lower case. */
export const EXAMPLE_QUOTES = ['「始exp」', '「始_exp」'];

const TOKENS = [BLOCK_END, BLOCK_START, VALUE_START, VALUE_END, ESCAPED_VALUE_START, ESCAPED_VALUE_END];
const LONGEST_TOKEN = Math.max(...TOKENS.map((token) => token.length));

/** Where the end of a text begins that may become a token of a block when more of the text is there. */
export const partialToken = (text: string, from: number): number => {
  for (let at = Math.max(from, text.length - LONGEST_TOKEN + 1); at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SLASH && at === text.length - 1) return at;
    if (code !== OPENING_QUOTE && code !== LESS) continue;
    const rest = text.slice(at);
    if (TOKENS.some((token) => token.startsWith(rest))) return at;
    if (EXAMPLE_QUOTES.some((token) => token.startsWith(rest.toLowerCase()))) return at;
  }
  return text.length;
};
