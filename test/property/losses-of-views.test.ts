import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { Omission } from '../../src/lib/sample-json.ts';
import type { AiView } from '../../src/present/ai/ai-view.ts';
import type { AuditView } from '../../src/present/audit.ts';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { project } from '../../src/runtime/project.ts';
import { uncoveredLosses } from '../support/omissions.ts';
import { canonicalResult, descriptor, TOOL_ERROR } from '../support/sample-values.ts';

fc.configureGlobal({ seed: 20_260_711 });

/** Every leaf is a word of its own, so that whether it is shown can be looked up in a text. */
type Leaf = { readonly pointer: string; readonly word: string };

/** A value whose leaves are the given shapes' places, filled with words that occur once. */
type Shape = { readonly list: readonly Shape[] } | { readonly fields: readonly Shape[] } | { readonly words: number };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ words: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 120 })) }),
    fc.record({ list: fc.array(tie('shape'), { minLength: 1, maxLength: 12 }) }),
    fc.record({ fields: fc.array(tie('shape'), { minLength: 1, maxLength: 8 }) }),
  ),
}));

const filler = () => {
  let next = 0;
  const leaves: Leaf[] = [];
  const word = (pointer: string): string => {
    next += 1;
    const made = `wq${String(next).padStart(6, '0')}z`;
    leaves.push({ pointer, word: made });
    return made;
  };
  const fill = (given: Shape, pointer: string): unknown => {
    if ('words' in given) return Array.from({ length: given.words }, () => word(pointer)).join(' ');
    if ('list' in given) return given.list.map((item, index) => fill(item, `${pointer}/${index}`));
    return Object.fromEntries(given.fields.map((field, index) => [`f${index}`, fill(field, `${pointer}/f${index}`)]));
  };
  return { fill, leaves };
};

/** Whether an omission says that this very place is missing. */
const covers = ({ pointer, unit, keptCount }: Omission, leaf: Leaf): boolean => {
  if (pointer === '') return true;
  if (unit === 'characters') return leaf.pointer === pointer;
  if (!leaf.pointer.startsWith(`${pointer}/`)) return false;
  const step = leaf.pointer.slice(pointer.length + 1).split('/')[0];
  return unit === 'items' ? Number(step) >= keptCount : true;
};

const VIEWS = [null, 'table', 'schedule-list', 'search-report', 'file-result', 'image-result', 'command-execution'];

const resultWith = fc
  .record({
    data: shape,
    details: shape,
    warnings: fc.array(shape, { maxLength: 5 }),
    summary: fc.integer({ min: 0, max: 400 }),
    message: fc.integer({ min: 1, max: 400 }),
    isError: fc.boolean(),
    resources: fc.integer({ min: 0, max: 6 }),
    preferredView: fc.constantFrom(...VIEWS),
  })
  .map((given) => {
    const { fill, leaves } = filler();
    const resources = Array.from({ length: given.resources }, (_, index) => {
      const id = `res_01JABCDEFGHJKMNPQRSTVWXY0${index}`;
      const fileName = `${String(fill({ words: 1 }, `/resources/${index}/fileName`))}.png`;
      return descriptor({ id, fileName, url: `https://vcp.example/v1/resources/${id}` });
    });
    const error = {
      ...TOOL_ERROR,
      message: fill({ words: given.message }, '/error/message'),
      details: { d: fill(given.details, '/error/details/d') },
    };
    const fields = {
      ...(given.isError ? { status: 'partial', error } : {}),
      data: fill(given.data, '/data'),
      presentation: {
        summary: given.summary === 0 ? null : fill({ words: given.summary }, '/presentation/summary'),
        preferredView: given.preferredView,
        title: null,
        primaryResourceId: null,
      },
      resources,
      warnings: given.warnings.map((words, index) => ({
        code: 'SLOW',
        message: fill({ words: 1 }, `/warnings/${index}/message`),
        target: null,
        details: { w: fill(words, `/warnings/${index}/details/w`) },
      })),
      extensions: { 'example.x': fill({ words: 1 }, '/extensions/example.x') },
    };
    const shown = given.isError ? leaves : leaves.filter(({ pointer }) => !pointer.startsWith('/error/'));
    return { result: CanonicalToolResult.parse(canonicalResult(fields)), leaves: shown };
  });

const context = { viewer: { roles: new Set(['human']) }, knownPaths: [] };

describe('truncation is never silent', { timeout: 120_000 }, () => {
  it('in the AI view: every word of a result is in the text, or its place among what was left out', () => {
    fc.assert(
      fc.property(
        resultWith,
        fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.constant(200_000)),
        fc.integer({ min: 0, max: 5 }),
        ({ result, leaves }, maxCharacters, maxResources) => {
          const ai = { maxCharacters, maxResources };
          const view = project(result, 'ai', { ...context, limits: DEFAULT_LIMITS, ai }) as AiView;
          expect(view.text.length).toBeLessThanOrEqual(maxCharacters);
          const missing = leaves.filter(({ word }) => !view.text.includes(word));
          const resourceOf = ({ pointer }: Leaf) =>
            result.resources[Number(/^\/resources\/(\d+)/.exec(pointer)?.[1])]?.id;
          const silent = missing.filter(
            (leaf) =>
              !view.omitted.fields.some((omission) => covers(omission, leaf)) &&
              !view.omitted.resources.includes(resourceOf(leaf) ?? ''),
          );
          expect(silent).toEqual([]);
          // A whole view claims no loss but of what it never has a place for.
          if (maxCharacters === 200_000 && JSON.stringify(result).length < 20_000)
            expect(
              view.omitted.fields.filter(
                ({ pointer, unit }) => !/details$|^\/extensions/.test(pointer) && unit !== 'levels',
              ),
            ).toEqual([]);
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('in the audit view: every difference from the result is counted at its place', () => {
    fc.assert(
      fc.property(resultWith, fc.integer({ min: 0, max: 3_000 }), ({ result }, auditDataCharacters) => {
        const view = project(result, 'audit', { ...context, limits: { auditDataCharacters } }) as AuditView;
        expect(uncoveredLosses(result.data, view.data, view.omitted, '/data')).toEqual([]);
        expect(uncoveredLosses(result.warnings, view.warnings, view.omitted, '/warnings')).toEqual([]);
        expect(uncoveredLosses(result.error, view.error, view.omitted, '/error')).toEqual([]);
        const summary = result.presentation?.summary ?? null;
        expect(uncoveredLosses(summary, view.summary, view.omitted, '/presentation/summary')).toEqual([]);
        expect(view.omitted.map(({ pointer }) => pointer)).toContain('/extensions');
      }),
      { numRuns: 120, endOnFailure: true },
    );
  });
});
