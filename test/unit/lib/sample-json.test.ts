import { describe, expect, it } from 'vitest';
import { sampleJson } from '../../../src/lib/sample-json.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import { uncoveredLosses } from '../../support/omissions.ts';

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
const sizeOf = (value: unknown) => JSON.stringify(value).length;

describe('a sample', () => {
  it('of a value that fits is that very value', () => {
    const value = { a: [1, 2, { b: 'text' }], c: null };
    const sampled = sampleJson(value, { budget: 1_000, depth: 8 });
    expect(sampled.value).toBe(value);
    expect(sampled.omissions).toEqual([]);
  });

  it('of a long list says how many items there were', () => {
    const sampled = sampleJson({ rows: rows(10_000) }, { budget: 2_000, depth: 8, path: ['data'] });
    const kept = (sampled.value as { rows: unknown[] }).rows;
    expect(kept.length).toBeGreaterThan(5);
    expect(sampled.omissions.at(-1)).toEqual({
      pointer: '/data/rows',
      unit: 'items',
      originalCount: 10_000,
      keptCount: kept.length,
    });
    expect(sizeOf(sampled.value)).toBeLessThan(4_000);
  });

  it('does the work that its budget asks for, not the work of the data', () => {
    let reads = 0;
    const million = new Proxy(rows(10), {
      get: (target, key) => {
        if (key === 'length') return 1_000_000;
        if (typeof key === 'string' && /^\d+$/.test(key)) {
          reads += 1;
          return target[Number(key) % 10];
        }
        return Reflect.get(target, key) as unknown;
      },
    });
    const sampled = sampleJson(million as unknown as JsonValue, { budget: 3_000, depth: 8 });
    expect(sampled.omissions.at(-1)).toMatchObject({ pointer: '', unit: 'items', originalCount: 1_000_000 });
    expect(reads).toBeLessThan(500);
  });

  it('looks at no more fields of a wide object than it could show', () => {
    let reads = 0;
    const wide = new Proxy(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key${n}`, n])), {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    const { value, omissions } = sampleJson(wide, { budget: 1_000, depth: 8 });
    const keptCount = Object.keys(value as object).length;
    expect(keptCount).toBeGreaterThan(80);
    const missing = Array.from({ length: 16 }, (_, n) => `/key${keptCount + n}`);
    expect(omissions).toEqual([{ pointer: '', unit: 'fields', originalCount: 20_000, keptCount, missing }]);
    expect(reads).toBeLessThan(1_500);
  });

  it('of a list that is cut has its items whole, so that reading on behind the last one misses nothing', () => {
    const value = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, value: id * 3.5 }));
    for (let budget = 100; budget < 1_200; budget += 1) {
      const sampled = sampleJson({ rows: value }, { budget, depth: 8 });
      const kept = (sampled.value as { rows: typeof value }).rows;
      expect(kept).toEqual(value.slice(0, kept.length));
      const keptCount = kept.length;
      expect(sampled.omissions).toEqual([{ pointer: '/rows', unit: 'items', originalCount: 500, keptCount }]);
    }
  });

  it('of a list shows a part of an item that takes more than half of its room, and what follows', () => {
    const list = [{ text: 'x'.repeat(1_000) }, { a: 1 }, { text: 'y'.repeat(1_000) }, { b: 2 }];
    const { value, omissions } = sampleJson(list, { budget: 800, depth: 8 });
    expect(value).toMatchObject([{ text: expect.stringMatching(/^x+…$/) }, { a: 1 }, {}, { b: 2 }]);
    expect(omissions.map(({ pointer, unit }) => [pointer, unit])).toEqual([
      ['/0/text', 'characters'],
      ['/2/text', 'characters'],
    ]);
  });

  it('names the fields that it left out, since no offset leads to them', () => {
    const long = { text: 'x'.repeat(400) };
    const value = { first: long, 'a/b': long, small: 1, last: long };
    const { value: sample, omissions } = sampleJson(value, { budget: 12, depth: 8, path: ['data'] });
    expect(sample).toEqual({ small: 1 });
    expect(omissions).toEqual([
      {
        pointer: '/data',
        unit: 'fields',
        originalCount: 4,
        keptCount: 1,
        missing: ['/data/first', '/data/a~1b', '/data/last'],
      },
    ]);
  });

  it('of a long text keeps its beginning and counts characters', () => {
    const sampled = sampleJson('abcdefghij'.repeat(100), { budget: 100, depth: 8 });
    expect(sampled.value).toBe(`${'abcdefghij'.repeat(10).slice(0, 96)}…`);
    expect(sampled.omissions).toEqual([{ pointer: '', unit: 'characters', originalCount: 1_000, keptCount: 96 }]);
  });

  it('never splits a surrogate pair, and counts what it kept', () => {
    for (const budget of [30, 31, 32, 33]) {
      const { value, omissions } = sampleJson('😀'.repeat(100), { budget, depth: 8 });
      expect((value as string).isWellFormed()).toBe(true);
      expect(omissions[0]?.keptCount).toBe((value as string).length - 1);
    }
  });

  it('below its depth keeps the kind of container and counts what was in it', () => {
    const sampled = sampleJson({ a: { b: { c: 1, d: 2 }, e: [], f: [1, 2, 3] } }, { budget: 1_000, depth: 2 });
    expect(sampled.value).toEqual({ a: { b: {}, e: [], f: [] } });
    expect(sampled.omissions).toEqual([
      { pointer: '/a/b', unit: 'levels', originalCount: 2, keptCount: 0 },
      { pointer: '/a/f', unit: 'levels', originalCount: 3, keptCount: 0 },
    ]);
  });

  it('keeps short fields when one long list stands beside them', () => {
    const value = { rows: rows(1_000), total: 1_000, title: 'All rows', note: 'x'.repeat(5_000) };
    const sampled = sampleJson(value, { budget: 800, depth: 8 }).value as Record<string, unknown>;
    expect(sampled).toMatchObject({ total: 1_000, title: 'All rows' });
    expect(Object.keys(sampled)).toEqual(['rows', 'total', 'title', 'note']);
  });

  it('shares what is left among several long lists', () => {
    const sampled = sampleJson({ first: rows(500), second: rows(500) }, { budget: 2_000, depth: 8 }).value as Record<
      string,
      unknown[]
    >;
    expect(sampled['second']?.length).toBeGreaterThan(3);
    expect(sampled['first']?.length).toBeGreaterThan(3);
  });

  it.each<[string, JsonValue]>([
    ['rows', rows(300)],
    ['rows in objects in rows', rows(20).map((row) => ({ ...row, more: rows(30) }))],
    ['many fields', Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`field/${n}~`, n]))],
    ['long texts', Array.from({ length: 30 }, (_, n) => `${n} ${'long text '.repeat(60)}`)],
    ['deep nesting', Array.from({ length: 20 }).reduce<JsonValue>((inner) => ({ inner, list: [inner] }), 1)],
    [
      'all of it',
      {
        rows: rows(50),
        text: 'y'.repeat(900),
        deep: { a: { b: { c: { d: rows(40) } } } },
        scalars: [1, 2, 3, null, true],
      },
    ],
  ])('drops nothing silently: %s', (_, value) => {
    for (const budget of [0, 10, 50, 200, 1_000, 5_000]) {
      const sampled = sampleJson(value, { budget, depth: 6 });
      expect([budget, uncoveredLosses(value, sampled.value, sampled.omissions)]).toEqual([budget, []]);
    }
  });

  it('leaves out a name that is longer than its whole budget, with what it names', () => {
    const sample = sampleJson({ ['k'.repeat(100_000)]: 1, short: 2, rows: [1] }, { budget: 100, depth: 8 });
    expect(sample).toEqual({
      value: { short: 2, rows: [1] },
      omissions: [{ pointer: '', unit: 'fields', originalCount: 3, keptCount: 2 }],
    });
  });

  it('leaves the original as it was', () => {
    const value = { rows: rows(100) };
    const before = JSON.stringify(value);
    sampleJson(value, { budget: 50, depth: 3 });
    expect(JSON.stringify(value)).toBe(before);
  });
});
