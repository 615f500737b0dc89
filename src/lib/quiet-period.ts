export type QuietPeriod = {
  /** Something has changed. */
  signal(): void;
  /** Forgets what was signalled. */
  close(): void;
};

/**
 * Runs `work` when nothing was signalled for `quietMs`, and after `longestMs` also while signals go on coming, so that
 * many changes at once are answered once and endless ones are answered all the same. Times are milliseconds.
 */
export const createQuietPeriod = (
  { quietMs, longestMs }: { readonly quietMs: number; readonly longestMs: number },
  work: () => void,
): QuietPeriod => {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let longest: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(quiet);
    clearTimeout(longest);
    longest = undefined;
  };
  const run = () => {
    close();
    work();
  };
  return {
    close,
    signal: () => {
      clearTimeout(quiet);
      quiet = setTimeout(run, quietMs);
      longest ??= setTimeout(run, longestMs);
    },
  };
};
