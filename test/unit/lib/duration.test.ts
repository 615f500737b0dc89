import { expect, it } from 'vitest';
import { secondsOf, writtenDuration } from '../../../src/lib/duration.ts';

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

it.each([
  [86_400_000, '24h'],
  [604_800_000, '168h'],
  [5_400_000, '90m'],
  [90_000, '90s'],
  [1_500, '1.5s'],
])('%i ms are written %s', (ms, written) => {
  expect(writtenDuration(ms)).toBe(written);
});
