import { isSafePattern } from 'redos-detector';
import { messageOf } from './message-of.ts';

/** Backtracks that a pattern may cause per character before it is refused. */
const MAX_SCORE = 200;
/** Work that the analysis itself may do, so that a hostile pattern cannot stall the start. */
const MAX_STEPS = 4_000;

/**
 * Why a regular expression from a plugin's schema may not run here, or null when it may. JavaScript's engine
 * backtracks, so one bad pattern and one chosen string would hold the whole process.
 */
export const unsafePatternReason = (pattern: string): string | null => {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    return `is not a valid regular expression: ${messageOf(error)}`;
  }
  const verdict = isSafePattern(pattern, { unicode: true, maxScore: MAX_SCORE, maxSteps: MAX_STEPS });
  return verdict.safe ? null : 'can backtrack without bound; make its alternatives and repetitions exclusive';
};
