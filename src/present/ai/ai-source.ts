import type { NotingCensor } from '../../lib/censor.ts';
import type { CanonicalToolResult, Redaction } from '../../protocol/canonical-tool-result.ts';

/** A result, and the censor to be asked about all that is shown of it; `redactions` are those that were made before. */
export type AiSource = {
  readonly result: CanonicalToolResult;
  readonly redactions: readonly Redaction[];
  newCensor(): NotingCensor;
};
