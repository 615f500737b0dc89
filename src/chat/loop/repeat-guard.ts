import type { ToolReport } from './tool-report.ts';

/** What a round of reports is against the one before: something new, the same once more, or the same again after a warning. */
export type Repetition = 'none' | 'noticed' | 'stop';

/**
 * Notices a model that makes the same calls again and gets the same answers: it is told once, and then stopped. Reports
 * without a sameness, such as those of a task that goes on, are never repetitions.
 */
export const createRepeatGuard = (): { look(reports: readonly ToolReport[]): Repetition } => {
  let before: string | null = null;
  let wasNoticed = false;
  return {
    look: (reports) => {
      const all = reports.map(({ sameness }) => sameness);
      const round = all.includes(null) || all.length === 0 ? null : all.toSorted().join('\n');
      const isSame = round !== null && round === before;
      before = round;
      if (!isSame) {
        wasNoticed = false;
        return 'none';
      }
      if (wasNoticed) return 'stop';
      wasNoticed = true;
      return 'noticed';
    },
  };
};
