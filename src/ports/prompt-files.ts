/** Texts that the operator keeps for system messages, in one directory. */
export type PromptFiles = {
  /**
   * The text of a file as it is now, by its path from the directory with `/` between the steps; null when there is none.
   * Rejects for a path that leads out of the directory, a file that is too large, and one that cannot be read.
   */
  read(path: string): Promise<string | null>;
};

/** Why a path cannot name a file of the directory, or null. It is only a path: a link may still lead out. */
export const promptPathFault = (path: string): string | null => {
  const steps = path.split('/');
  const isPlain = steps.every((step) => step !== '' && step !== '.' && step !== '..' && !step.startsWith(' '));
  return isPlain && path.length <= 512 && !/[\\:\p{Cc}]/u.test(path)
    ? null
    : 'a file is named by its path inside the directory of prompts, without "..", "\\", ":" or a "/" in front';
};

/** The text of a file: editors put a byte order mark in front and a line break at the end, which belong to no prompt. */
export const promptTextOf = (bytes: Uint8Array, path: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new Error(`${path} is not UTF-8`);
  }
};
