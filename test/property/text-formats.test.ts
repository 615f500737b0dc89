import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../src/lib/base64.ts';
import { checkJsonValue } from '../../src/lib/check-json-value.ts';
import { parseDataUri } from '../../src/lib/data-uri.ts';
import { parseJsonPointer, resolveJsonPointer, toJsonPointer } from '../../src/lib/json-pointer.ts';
import { parseJson } from '../../src/lib/parse-json.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_260_711 });

const BOUNDS = { jsonDepth: 16, jsonNodes: 5_000 };
const text = fc.string({ unit: 'grapheme' });
const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' });
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes('"__proto__"');

describe('Base64', () => {
  it('gives back the bytes that were written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const written = btoa(String.fromCharCode(...bytes));
        expect(decodeBase64(written)).toEqual({ ok: true, bytes });
        expect(parseDataUri(`data:image/png;base64,${written}`)).toEqual({ ok: true, bytes, mimeType: 'image/png' });
      }),
      { numRuns: 150 },
    );
  });

  it('is refused or exact for any text', () => {
    const nearly = fc.string({ unit: fc.constantFrom('A', 'B', '/', '+', '=', '-', ' ', 'z', '9'), maxLength: 12 });
    fc.assert(
      fc.property(nearly, (written) => {
        const decoded = decodeBase64(written);
        if (decoded.ok) expect(btoa(String.fromCharCode(...decoded.bytes))).toBe(written);
      }),
      { numRuns: 500 },
    );
  });
});

describe('percent-encoding', () => {
  it('gives back the text that was written', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(parseDataUri(`data:text/plain,${encodeURIComponent(value)}`)).toEqual({
          ok: true,
          mimeType: 'text/plain',
          bytes: new TextEncoder().encode(value),
        });
      }),
      { numRuns: 150 },
    );
  });
});

describe('JSON Pointers', () => {
  const key = fc.oneof(text, fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '') }));

  it('give back the path that was written', () => {
    fc.assert(
      fc.property(fc.array(key), (path) => {
        expect(parseJsonPointer(toJsonPointer(path))).toEqual(path);
      }),
      { numRuns: 300 },
    );
  });

  it('lead to the value at their path', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 6 }), json, (path, leaf) => {
        fc.pre(!path.includes('__proto__'));
        const document = path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), leaf);
        expect(resolveJsonPointer(document, toJsonPointer(path))).toEqual(leaf);
      }),
      { numRuns: 200 },
    );
  });
});

describe('parseJson', () => {
  it('reads what JSON.parse reads, within its bounds', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        fc.pre(!hasProto(value));
        const written = JSON.stringify(value, null, indent);
        expect(parseJson(written, BOUNDS)).toEqual({ ok: true, value: JSON.parse(written) as unknown });
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with JSON.parse on what is no JSON', () => {
    const broken = fc
      .tuple(json, fc.nat(), fc.constantFrom('', '{', ']', '"', ',', '\\', 'x', '0'))
      .map(([value, at, put]) => {
        const written = JSON.stringify(value);
        const place = at % (written.length + 1);
        return written.slice(0, place) + put + written.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (written) => {
        let readable = true;
        try {
          JSON.parse(written);
        } catch {
          readable = false;
        }
        const parsed = parseJson(written, BOUNDS);
        if (!readable) expect(parsed.ok).toBe(false);
        else if (!parsed.ok) expect(parsed.issue.message).not.toMatch(/^is not JSON/);
      }),
      { numRuns: 300 },
    );
  });

  it('finds every value too deep that is, and no other', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 1, max: 8 }), (value, jsonDepth) => {
        fc.pre(!hasProto(value));
        const depthOf = (part: unknown): number =>
          typeof part !== 'object' || part === null ? 0 : 1 + Math.max(0, ...Object.values(part).map(depthOf));
        const bounds = { jsonDepth, jsonNodes: 100_000 };
        const fits = depthOf(value) <= jsonDepth;
        expect(parseJson(JSON.stringify(value), bounds).ok).toBe(fits);
        expect(checkJsonValue(value, bounds) === null).toBe(fits);
      }),
      { numRuns: 300 },
    );
  });
});
