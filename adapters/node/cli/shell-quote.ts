/** One word of a POSIX shell's command line, quoted where it has to be. */
export const shellQuote = (text: string): string =>
  /^[\p{L}\p{N}_./:@%+,=-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
