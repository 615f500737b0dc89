import { describe, expect, it } from 'vitest';
import {
  parseJsonPointer,
  pointerToTarget,
  resolveJsonPointer,
  shortPointer,
  toJsonPointer,
} from '../../../src/lib/json-pointer.ts';

// The document of RFC 6901 §5.
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('JSON Pointers', () => {
  it.each<[string, unknown]>([
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('lead where RFC 6901 says: "%s"', (pointer, expected) => {
    expect(resolveJsonPointer(DOCUMENT, pointer)).toEqual(expected);
  });

  it.each([
    '/foo/2',
    '/foo/-',
    '/foo/01',
    '/foo/length',
    '/nothing',
    '/foo/0/length',
    '/constructor',
    '/toString/name',
    '/foo/map',
  ])('lead nowhere: "%s"', (pointer) => {
    expect(resolveJsonPointer(DOCUMENT, pointer)).toBeUndefined();
  });

  it.each(['foo', '#/foo', '/~', '/~2', '/a~', 'foo/bar'])('are not "%s"', (pointer) => {
    expect(() => parseJsonPointer(pointer)).toThrow(TypeError);
  });

  it('decode ~01 as ~1, not as a slash', () => {
    expect(parseJsonPointer('/~01')).toEqual(['~1']);
    expect(toJsonPointer(['~1', 'a/b', 0])).toBe('/~01/a~1b/0');
  });

  it('are cut to be shown, never inside an escape', () => {
    expect(shortPointer('/a/b')).toBe('/a/b');
    expect(shortPointer(`/${'x'.repeat(5_000)}`)).toBe(`/${'x'.repeat(999)}…`);
    expect(shortPointer(`/${'~0'.repeat(5_000)}`)).toBe(`/${'~0'.repeat(499)}…`);
    expect(shortPointer(`/${'😀'.repeat(5_000)}`).isWellFormed()).toBe(true);
  });

  it('become dotted targets, with awkward keys in brackets', () => {
    expect(pointerToTarget('/data/items/0')).toBe('data.items.0');
    expect(pointerToTarget('/data/a.b')).toContain('["a.b"]');
  });
});
