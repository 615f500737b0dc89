import type { PolicySummary } from '../protocol/canonical-tool-result.ts';
import { redactPluginParts, type PluginParts } from './apply-policy.ts';
import { createCensor } from './create-censor.ts';

/**
 * Whether there is anything in a result that ordinary consumers may not read. Whole values are looked at, not
 * samples, so that `containsSensitiveData: false` can be relied on as far as the rules reach.
 */
export const classify = (parts: PluginParts, knownPaths: readonly string[]): PolicySummary => {
  const censor = createCensor(knownPaths);
  redactPluginParts(parts, censor);
  const sensitive = censor.redactions.length > 0;
  return {
    classification: sensitive ? 'confidential' : 'internal',
    containsSensitiveData: sensitive,
    redactionsApplied: [],
  };
};

/** The summary of a result that could not be looked through: what is unknown is treated as sensitive. */
export const UNCLASSIFIED: PolicySummary = {
  classification: 'confidential',
  containsSensitiveData: true,
  redactionsApplied: [],
};
