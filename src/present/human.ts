import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';

/**
 * §9.1: a person's client reads the whole permission-filtered canonical result, `aiAdvice` included; it is shown
 * there and never acted on. Nothing is added, renamed or turned into text.
 */
export const presentHuman = (result: CanonicalToolResult): CanonicalToolResult => result;
