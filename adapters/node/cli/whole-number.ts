import { UsageError } from './exit.ts';

/** The value of an option that counts something. */
export const wholeNumber = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${option} is a whole number`);
  return Number(text);
};
