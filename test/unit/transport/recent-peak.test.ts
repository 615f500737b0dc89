import { expect, it } from 'vitest';
import { createRecentPeak } from '../../../src/transport/stdio/recent-peak.ts';

it('is the highest value of the last one to two windows', () => {
  const peak = createRecentPeak(100);
  expect(peak.at(0)).toBe(0);
  peak.record(3, 10);
  peak.record(1, 20);
  expect(peak.at(50)).toBe(3);
  peak.record(2, 120);
  expect(peak.at(130)).toBe(3);
  expect(peak.at(230)).toBe(2);
  expect(peak.at(2_000)).toBe(0);
});

it('does not remember what lies two windows back when nobody looked in between', () => {
  const peak = createRecentPeak(100);
  peak.record(9, 0);
  peak.record(1, 500);
  expect(peak.at(500)).toBe(1);
});
