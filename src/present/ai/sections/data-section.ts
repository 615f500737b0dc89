import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import { heading } from '../markdown.ts';
import { renderPart } from '../renderers/render-part.ts';
import { NO_SECTION, type Sampler, type Section } from './section.ts';

/** The data, in the form that fits its meaning. */
export const dataSection = (result: CanonicalToolResult, budget: number, sampler: Sampler): Section => {
  if (result.data === null) return NO_SECTION;
  const data = sampler.take(result.data, budget, ['data']);
  const sampled = { ...result, data } as CanonicalToolResult;
  return sampler.section([heading('Result'), ...renderPart('data', { result: sampled, cuts: sampler.cuts() })]);
};
