import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleJson } from '../../src/lib/sample-json.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { uncoveredLosses } from '../support/omissions.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_260_711 });

const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' });
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes('"__proto__"');

describe('sampleJson', () => {
  const key = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
  const { value: sampled } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ unit: 'grapheme', maxLength: 300 })),
      fc.array(tie('value'), { maxLength: 30 }),
      fc.dictionary(key, tie('value'), { maxKeys: 15 }),
    ) as fc.Arbitrary<JsonValue>,
  }));

  it('drops nothing silently, and stays near its budget', () => {
    fc.assert(
      fc.property(
        sampled,
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 1, max: 8 }),
        (value, budget, depth) => {
          fc.pre(!hasProto(value));
          const { value: sample, omissions } = sampleJson(value, { budget, depth });
          expect(uncoveredLosses(value, sample, omissions)).toEqual([]);
          // Every level may show one more short excerpt than there is room for.
          expect(JSON.stringify(sample).replaceAll(/\\u[0-9a-f]{4}|\\./g, 'x').length).toBeLessThanOrEqual(
            budget * 2 + depth * 60 + 100,
          );
          expect(new Set(omissions.map((omission) => omission.pointer + omission.unit)).size).toBe(omissions.length);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives a value that fits back as it is', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { value: sample, omissions } = sampleJson(value as JsonValue, { budget: 1_000_000, depth: 20 });
        expect(sample).toBe(value);
        expect(omissions).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
