import { describe, expect, it } from 'vitest';
import { checkJsonValue } from '../../../src/lib/check-json-value.ts';

const BOUNDS = { jsonDepth: 8, jsonNodes: 100 };
const check = (value: unknown) => checkJsonValue(value, BOUNDS);

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

describe('plain JSON', () => {
  it.each([null, true, 0, -1.5, '', 'text 😀', [], {}, { a: [{ b: null }] }, [[[]]]])('passes: %j', (value) => {
    expect(check(value)).toBeNull();
  });

  it('passes without a prototype, frozen, or shared', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const shared = { x: 1 };
    expect([check(bare), check(Object.freeze({ a: shared, b: shared, c: [shared] }))]).toEqual([null, null]);
  });
});

describe('what JSON cannot carry', () => {
  class Point {
    x = 1;
  }

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'is undefined, a hole or an accessor, which JSON cannot carry'],
    ['NaN', Number.NaN, 'is NaN, which JSON cannot carry'],
    ['infinity', Number.NEGATIVE_INFINITY, 'is -Infinity, which JSON cannot carry'],
    ['a BigInt', 10n, 'is a bigint, which JSON cannot carry'],
    ['a function', () => 1, 'is a function, which JSON cannot carry'],
    ['a symbol', Symbol('s'), 'is a symbol, which JSON cannot carry'],
    ['a Date', new Date(0), 'is a Date, which JSON cannot carry'],
    ['a Map', new Map(), 'is a Map, which JSON cannot carry'],
    ['an error', new Error('x'), 'is an Error, which JSON cannot carry'],
    ['a class instance', new Point(), 'is a Point, which JSON cannot carry'],
    ['bytes', new Uint8Array(2), 'is a Uint8Array, which JSON cannot carry'],
    ['a boxed string', Object('text'), 'is a String, which JSON cannot carry'],
    [
      'an array with a toJSON',
      Object.assign([1], { toJSON: () => 2 }),
      'is an array with a toJSON, which JSON cannot carry',
    ],
    ['an array of a class', new (class extends Array {})(), 'is an array of a class, which JSON cannot carry'],
    ['a promise', Promise.resolve(1), 'is a Promise, which JSON cannot carry'],
    ['a lone surrogate', 'a\ud83d', 'holds a lone surrogate, which is not valid Unicode text'],
    ['an object with a strange prototype', Object.create({ inherited: 1 }), 'is an Object, which JSON cannot carry'],
  ])('is named with its place: %s', (_, value, message) => {
    expect(check({ list: [1, value] })).toEqual({ pointer: '/list/1', message });
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'is undefined'],
    ['NaN', Number.NaN, 'is NaN, which JSON cannot carry'],
    ['a function', () => 1, 'is a function, which JSON cannot carry'],
    ['a Set', new Set(), 'is a Set, which JSON cannot carry'],
    ['a lone surrogate', '\udc00', 'holds a lone surrogate, which is not valid Unicode text'],
  ])('is named at the root: %s', (_, value, message) => {
    expect(check(value)).toEqual({ pointer: '', message });
  });

  it('includes keys: symbols, lone surrogates, __proto__', () => {
    expect(check({ a: { [Symbol('s')]: 1 } })).toEqual({
      pointer: '/a',
      message: 'has a symbol as a key, which JSON cannot carry',
    });
    expect(check({ a: { ['\ud83d']: 1 } })).toEqual({ pointer: '/a', message: 'has a key with a lone surrogate' });
    expect(check(JSON.parse('{"a":[{"__proto__":{"polluted":1}}]}'))).toEqual({
      pointer: '/a/0/__proto__',
      message: 'is a key that is never accepted',
    });
  });

  it('includes the holes of a sparse array', () => {
    // eslint-disable-next-line no-sparse-arrays
    const holed = [1, , 3];
    expect(check(holed)?.pointer).toBe('/1');
  });

  it('escapes keys in the place that it names', () => {
    expect(check({ 'a/b': { 'c~d': Number.NaN } })?.pointer).toBe('/a~1b/c~0d');
  });
});

describe('hostile values', () => {
  it('never have a getter run', () => {
    let runs = 0;
    const trap = {
      get secret() {
        runs += 1;
        return 1;
      },
    };
    const list = Object.defineProperty([1, 2], 1, {
      get: () => {
        runs += 1;
        return 2;
      },
    });
    expect([check(trap)?.pointer, check({ list })?.pointer, runs]).toEqual(['/secret', '/list/1', 0]);
  });

  it('are found when they refer to themselves', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const ring: unknown[] = [];
    ring.push([ring]);
    expect(check(cycle)?.message).toBe('is nested deeper than 8 levels, or refers to itself');
    expect(check(ring)?.message).toBe('is nested deeper than 8 levels, or refers to itself');
  });

  it('may be as deep as the limit, and not one level deeper', () => {
    expect(check(nested(8))).toBeNull();
    expect(check(nested(9))).toEqual({
      pointer: '/a/a/a/a/a/a/a/a',
      message: 'is nested deeper than 8 levels, or refers to itself',
    });
  });

  it('may have as many values as the limit, and not one more', () => {
    expect(check(Array.from({ length: 99 }, () => 0))).toBeNull();
    expect(check(Array.from({ length: 100 }, () => 0))?.message).toBe('makes the document larger than 100 values');
    expect(check({ a: Array.from({ length: 60 }, () => 0), b: Array.from({ length: 60 }, () => 0) })?.message).toBe(
      'makes the document larger than 100 values',
    );
  });

  it('do not overflow the stack at 100,000 levels', () => {
    const deep = nested(100_000);
    expect(check(deep)?.message).toMatch(/^is nested deeper/);
    expect(checkJsonValue(deep, { jsonDepth: 200_000, jsonNodes: 1_000_000 })).toBeNull();
  });

  it('do not stall the host by sharing one object in many places', () => {
    let value: unknown = 0;
    for (let level = 0; level < 40; level += 1) value = [value, value];
    expect(checkJsonValue(value, { jsonDepth: 64, jsonNodes: 10_000 })?.message).toBe(
      'makes the document larger than 10000 values',
    );
  });

  it('are not read when a length alone breaks the limit', () => {
    const huge: unknown[] = [];
    huge.length = 4_000_000_000;
    expect(check(huge)?.message).toBe('makes the document larger than 100 values');
  });
});
