import { BLOCK_END, EXAMPLE_END, EXAMPLE_START } from './markers.ts';

/** Stretches of text in which nothing is a call: how each begins and what may end it, in lower case. */
export const THINKING_TAGS = [
  { opening: '<think>', closings: ['</think>'] },
  { opening: '<thinking>', closings: ['</thinking>'] },
];

export const EXAMPLE_OPENING = EXAMPLE_START.toLowerCase();
export const EXAMPLE_CLOSINGS = [BLOCK_END.toLowerCase(), EXAMPLE_END.toLowerCase()];
