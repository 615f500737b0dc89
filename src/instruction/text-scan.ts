/** How far a scan came. */
export type TextScan = {
  /** Where a block opens; -1 when none does in this text. */
  readonly opensAt: number;
  /** From here on the text was not understood yet: it must come again, with more behind it. */
  readonly unread: number;
  /** From here on it may be the beginning of a block, and must not be shown yet. */
  readonly held: number;
};

/**
 * Reads what stands outside of blocks, a window at a time, up to the next block that is a call: what stands in inline
 * code, fenced code, a quote, a model's thinking or an example is text.
 */
export type TextScanner = {
  /** To be called with each new text: what was not read of the last, and what came. */
  begin(window: string): void;
  scan(from: number): TextScan;
};
