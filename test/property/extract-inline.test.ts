// What is taken out of `data` can be put back, and then it is what it was.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryResourceStore } from '../../adapters/memory/memory-resource-store.ts';
import { readAll } from '../../src/lib/bytes.ts';
import { toJsonPointer } from '../../src/lib/json-pointer.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { replaceAt } from '../../src/lib/replace-at.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { extractInline } from '../../src/resources/extract-inline.ts';
import { base64Of } from '../support/sample-values.ts';

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
const inlineFile = fc.oneof(
  bytes.map((content) => `data:application/octet-stream;base64,${base64Of([...content])}`),
  // A file that is known by its first bytes alone: the head of a picture, with anything after it.
  bytes.map((content) =>
    base64Of([...PNG_SIGNATURE, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, ...content, ...Array<number>(64).fill(7)]),
  ),
);
const leaf = fc.oneof({ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 0 }) }, { weight: 1, arbitrary: inlineFile });
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 5 },
    ),
  ),
}));

const extract = async (value: JsonValue) => {
  const store = createMemoryResourceStore();
  const extraction = await extractInline(
    value,
    null,
    '',
    { resources: 1_000, bytes: 1_000_000 },
    {
      store,
      files: null,
      fetch: null,
      ids: createUlidIds(() => 1_700_000_000_000),
      limits: DEFAULT_LIMITS,
      urlOf: (id) => id,
    },
  );
  return { ...extraction, store };
};

describe('taking files out of a value', () => {
  it('and putting their bytes back gives the value that there was', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (given) => {
        const value = given as JsonValue;
        const before = JSON.stringify(value);
        const { value: taken, descriptors, fields, store } = await extract(value);
        expect(JSON.stringify(value)).toBe(before);

        const encoded = new Map<string, string>();
        for (const { id, sha256 } of descriptors) {
          const stream = await store.get(sha256 as string);
          encoded.set(id, base64Of([...(await readAll(stream as ReadableStream<Uint8Array>))]));
        }
        const restored = fields.map(({ path, text }) => {
          const { $resource } = path.reduce<unknown>(
            (at, step) => (at as Record<string | number, unknown>)[step],
            taken,
          ) as { $resource: string };
          const head = text.slice(0, text.indexOf(',') + 1);
          return { path, value: head + (encoded.get($resource) as string) };
        });
        expect(JSON.stringify(replaceAt(taken, restored))).toBe(before);
      }),
      { numRuns: 200 },
    );
  });

  it('changes nothing but the fields that it names', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (given) => {
        const value = given as JsonValue;
        const { value: taken, fields } = await extract(value);
        const places = new Set(fields.map(({ path }) => toJsonPointer(path)));
        const compare = (a: JsonValue, b: JsonValue, at: string): void => {
          if (places.has(at)) return expect(b).toEqual({ $resource: expect.any(String) });
          if (typeof a !== 'object' || a === null) return expect(b).toBe(a);
          expect(Object.keys(b as object)).toEqual(Object.keys(a));
          for (const key of Object.keys(a)) {
            const of = (container: JsonValue) => (container as Record<string, JsonValue>)[key] as JsonValue;
            compare(of(a), of(b), `${at}${toJsonPointer([key])}`);
          }
        };
        compare(value, taken, '');
        if (places.size === 0) expect(taken).toBe(value);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves every text alone that nobody would take for a file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 500 }), async (text) => {
        fc.pre(!/^data:/i.test(text));
        expect((await extract({ text })).value).toEqual({ text });
      }),
    );
  });
});
