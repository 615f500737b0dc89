import type { Omission } from '../../../lib/sample-json.ts';
import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import type { Warning } from '../../../protocol/warning.ts';
import { heading, inlineCode, list, paragraph, text, type BlockContent } from '../markdown.ts';
import { cutNote, type CutsByPointer } from '../renderers/render-value.ts';
import { NO_SECTION, type Sampler, type Section } from './section.ts';

/** The warnings, in their order, without their details. */
export const warningSection = (result: CanonicalToolResult, budget: number, sampler: Sampler): Section => {
  if (result.warnings.length === 0) return NO_SECTION;
  const spoken = result.warnings.map(({ code, message, target }) => ({ code, message, target }));
  const warnings = sampler.take(spoken as unknown as JsonValue, budget, ['warnings']) as unknown as Partial<Warning>[];
  countDetails(sampler.omissions);
  const cuts = sampler.cuts();
  const note = cutNote(['warnings'], cuts);
  return sampler.section([
    heading('Warnings'),
    list(warnings.map((warning, index) => warningLine(warning, index, cuts))),
    ...(note === null ? [] : [note]),
  ]);
};

/** A warning has one field more than those that were sampled: its details. */
const countDetails = (omissions: Omission[]): void => {
  omissions.forEach((omission, index) => {
    if (omission.unit !== 'fields' || !/^\/warnings\/\d+$/.test(omission.pointer)) return;
    omissions[index] = { ...omission, originalCount: omission.originalCount + 1 };
  });
};

/** The sample may have had no room for the sentence; that is stated with the other omissions. */
const warningLine = (
  { code, message, target }: Partial<Warning>,
  index: number,
  cuts: CutsByPointer,
): BlockContent[] => {
  const note = cutNote(['warnings', index, 'message'], cuts);
  return [
    paragraph(
      ...(code === undefined ? [] : [inlineCode(code)]),
      ...(message === undefined ? [] : [text(`: ${message}`)]),
      ...(target ? [text(` (at ${target})`)] : []),
    ),
    ...(note === null ? [] : [note]),
  ];
};
