import { describe, expect, it } from 'vitest';
import { utf8Size } from '../../../src/lib/utf8-size.ts';

describe('the size of a text in UTF-8', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['汉字', 6],
    ['😀', 4],
    ['x'.repeat(65_536), 65_536],
  ])('is exact for %#', (text, bytes) => {
    expect(utf8Size(text)).toBe(bytes);
  });

  it.each([
    ['x', 1],
    ['汉', 3],
    ['😀', 2],
  ])('is that of an even text, however long: %s', (character, bytesPerUnit) => {
    const text = character.repeat(1_000_000 / character.length);
    expect(utf8Size(text)).toBe(1_000_000 * bytesPerUnit);
  });
});
