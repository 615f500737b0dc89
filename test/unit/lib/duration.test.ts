import { expect, it } from 'vitest';
import { secondsOf } from '../../../src/lib/duration.ts';

it.each([
  ['60s', 60],
  ['s', 1],
  ['5m', 300],
  ['h', 3_600],
  ['12h', 43_200],
  ['30d', 2_592_000],
  ['2w', 1_209_600],
  ['0s', 0],
  ['', null],
  ['60', null],
  ['5 m', null],
  ['-5m', null],
  ['1.5h', null],
  ['5M', null],
  ['5months', null],
  ['9999999999s', null],
])('"%s" is %s seconds', (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});
