import type { SplitLine } from './split-line.ts';

/**
 * What bash is to put in place of the last piece of the current word: it cuts words at its break characters unless
 * they are quoted, and quotes nothing by itself outside of an open quote.
 */
export const bashReplies = (values: readonly string[], line: SplitLine, wordBreaks: string): string[] => {
  const { openQuote, currentRaw } = line;
  if (openQuote !== null) return values.map((value) => value.slice(openQuote.at));
  // A word that was quoted or escaped earlier is replaced whole from its last break that is not.
  const kept = plainPrefix(currentRaw, wordBreaks);
  return values.map((value) => escapeForBash(value.slice(kept)));
};

/** Characters up to and with the last break, as long as nothing before it was quoted. */
const plainPrefix = (raw: string, wordBreaks: string): number => {
  const quoted = /["'\\]/.exec(raw)?.index ?? raw.length;
  for (let index = quoted - 1; index >= 0; index -= 1) {
    const character = raw[index] as string;
    if (!/[\s"']/.test(character) && wordBreaks.includes(character)) return index + 1;
  }
  return 0;
};

const escapeForBash = (text: string): string => text.replaceAll(/[\s"'\\$`!&;|<>()*?[\]{}#~^]/g, '\\$&');
