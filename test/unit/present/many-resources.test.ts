import { describe, expect, it } from 'vitest';
import { NO_CENSOR } from '../../../src/lib/censor.ts';
import { DEFAULT_AI_CONTEXT } from '../../../src/present/ai/ai-view.ts';
import { composeText } from '../../../src/present/ai/compose-text.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { canonicalResult, descriptor, ULID } from '../../support/sample-values.ts';

const idOf = (index: number): string => `res_${ULID.slice(0, -2)}${String(index).padStart(2, '0')}`;

/** The text of 64 resources within a budget, and how many sections were made for it: each has its own censor. */
const composed = (maxCharacters: number) => {
  const resources = Array.from({ length: 64 }, (_, index) => descriptor({ id: idOf(index) }));
  const result = CanonicalToolResult.parse(canonicalResult({ data: null, resources }));
  let sections = 0;
  const newCensor = () => {
    sections += 1;
    return { ...NO_CENSOR, redactions: [] };
  };
  const context = { ...DEFAULT_AI_CONTEXT, maxCharacters, maxResources: 64 };
  return { ...composeText({ result, redactions: [], newCensor }, context), sections };
};

describe('many resources', () => {
  it.each([
    [800, 4],
    [2_000, 20],
    [5_000, 59],
  ])('in %i characters are listed as far as there is room, in few attempts', (budget, expected) => {
    const { text, listed, sections } = composed(budget);
    expect(text.length).toBeLessThanOrEqual(budget);
    expect(listed.map(({ resource }) => resource.id)).toEqual(Array.from({ length: expected }, (_, n) => idOf(n)));
    expect(sections).toBeLessThan(30);
  });

  it('have their addresses where all can have them', () => {
    expect(composed(20_000).text.match(/<https:/g)).toHaveLength(64);
  });
});
