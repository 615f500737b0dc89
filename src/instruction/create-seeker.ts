import { standsAt } from './text-at.ts';

/** Where a literal stands no more. Larger than any index, and still a small integer to every engine. */
export const NOWHERE = 0x3f_ff_ff_ff;

/**
 * Finds a literal again and again in one text, from positions that only grow. It is sought once for each place where it
 * stands, so that a hundred questions about a literal that is far away, or nowhere, cost one search.
 */
export type Seeker = {
  next(text: string, from: number): number;
  /** To be called before a question about another text. */
  forget(): void;
};

export const createSeeker = (literal: string): Seeker => {
  let found = -1;
  return {
    next: (text, from) => {
      if (found < from) {
        // Where literals stand one after another, calling a search for each costs more than looking first.
        const index = standsAt(text, from, literal) === true ? from : text.indexOf(literal, from);
        found = index === -1 ? NOWHERE : index;
      }
      return found;
    },
    forget: () => {
      found = -1;
    },
  };
};
