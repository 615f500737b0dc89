/** A whole word that may stand where the cursor is, and what it means. */
export type Candidate = { readonly value: string; readonly description?: string };

/** What may stand where the cursor is: one of these words, or the path of a file after `prefix`. */
export type Completion =
  | { readonly kind: 'values'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' | 'directories'; readonly prefix: string };

export const valuesOf = (candidates: readonly Candidate[]): Completion => ({ kind: 'values', candidates });
export const NOTHING: Completion = valuesOf([]);
