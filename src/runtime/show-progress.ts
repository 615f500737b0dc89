import { isRedacted, type Viewer } from '../policy/apply-policy.ts';
import { createCensor } from '../policy/create-censor.ts';
import { redactValue } from '../policy/redact-value.ts';
import type { ResultView } from '../protocol/invocation.ts';

/** What plugins say of how far they have come. */
export type SpokenProgress = { readonly stage: string | null; readonly message: string | null };

export type ShowContext = {
  readonly view: ResultView;
  readonly viewer: Viewer;
  readonly knownPaths: readonly string[];
  /** Paths and addresses that the caller named itself, which stay. */
  readonly given?: ReadonlySet<string>;
};

const NOT_SHOWN = '[not shown]';

/**
 * A report of progress as this consumer may read it: its words go through the rules for results. What cannot be looked
 * through is not shown.
 */
export const showProgress = <Report extends SpokenProgress>(report: Report, context: ShowContext): Report => {
  const { stage, message } = report;
  if (!isRedacted(context) || (stage === null && message === null)) return report;
  try {
    const spoken = { stage, message };
    const shown = redactValue(spoken, [], createCensor(context.knownPaths, context.given)) as typeof spoken;
    return shown === spoken ? report : { ...report, ...shown };
  } catch {
    return { ...report, stage: stage === null ? null : NOT_SHOWN, message: message === null ? null : NOT_SHOWN };
  }
};
