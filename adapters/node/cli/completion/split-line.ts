/** A command line up to the cursor: the words before the current one, and the current one as it stands there. */
export type SplitLine = {
  readonly words: readonly string[];
  /** Without its quotes. */
  readonly current: string;
  /** As it stands on the line, quotes and all. */
  readonly currentRaw: string;
  /** The quote that is still open, and how many characters of `current` stand before it. */
  readonly openQuote: { readonly mark: '"' | "'"; readonly at: number } | null;
};

/** Splits a line as a POSIX shell would, expanding nothing. */
export const splitLine = (line: string): SplitLine => {
  const words: string[] = [];
  let word = '';
  let start = 0;
  let isWord = false;
  let quote: SplitLine['openQuote'] = null;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] as string;
    if (quote !== null) {
      if (character === quote.mark) quote = null;
      else if (quote.mark === '"' && character === '\\' && /["\\$`]/.test(line[index + 1] ?? ''))
        word += line[(index += 1)];
      else word += character;
    } else if (character === '"' || character === "'") {
      if (!isWord) start = index;
      quote = { mark: character, at: word.length };
      isWord = true;
    } else if (/\s/.test(character)) {
      if (isWord) words.push(word);
      word = '';
      isWord = false;
      start = index + 1;
    } else {
      if (!isWord) start = index;
      isWord = true;
      word += character === '\\' ? (line[(index += 1)] ?? '') : character;
    }
  }
  return { words, current: word, currentRaw: line.slice(start), openQuote: quote };
};
