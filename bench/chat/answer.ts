/** Pieces of the answer that the upstream streams, each an event of its own. */
export const PIECES = 64;

/** The text of one of them. */
export const pieceOf = (index: number): string => `word${index} `;
