import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findModel } from '../../src/chat/passthrough/find-model.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON text with blanks in places, which `JSON.stringify` puts nowhere. */
const spaced = (value: unknown, indent: string): string => JSON.stringify(value, null, indent);

const fields = fc.dictionary(
  fc.string().filter((name) => name.toLowerCase() !== 'model' && name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
);

describe('the model of a body', () => {
  it('is what JSON.parse reads, wherever it stands, and its bytes are those of its value', () => {
    fc.assert(
      fc.property(
        fields,
        fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((model) => model.isWellFormed()),
        fields,
        fc.constantFrom('', ' ', '\t', '\n'),
        (before, model, after, indent) => {
          const text = spaced({ ...before, model, ...after }, indent);
          const body = encoder.encode(text);
          const found = findModel(body);
          if (!found.ok) throw new Error(`${found.reason}: ${text}`);
          expect(found.model).toBe((JSON.parse(text) as { model: string }).model);
          expect(JSON.parse(decoder.decode(body.subarray(found.start, found.end)))).toBe(model);
        },
      ),
    );
  });

  it('is found in no bytes in which JSON.parse finds another one', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '"',
            '\\',
            '"model"',
            '"mod\\u0065l"',
            '"a"',
            '"model":"b"',
            ' ',
            '1',
            'null',
          ),
          { maxLength: 14 },
        ),
        (tokens) => {
          const text = tokens.join('');
          const found = findModel(encoder.encode(text));
          let parsed: unknown;
          try {
            parsed = JSON.parse(text);
          } catch {
            return;
          }
          const model =
            typeof parsed === 'object' && parsed !== null ? (parsed as { model?: unknown }).model : undefined;
          if (found.ok) expect(found.model).toBe(model);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('is looked for in time that follows the length, whatever the bytes', () => {
    for (const text of [
      '{"a":"',
      `{"a":"${'\\'.repeat(4_000_000)}`,
      `{"a":${'['.repeat(4_000_000)}`,
      `{${'"a":1,'.repeat(700_000)}`,
    ]) {
      const begun = performance.now();
      expect(findModel(encoder.encode(text)).ok).toBe(false);
      expect(performance.now() - begun).toBeLessThan(10_000);
    }
  });
});
