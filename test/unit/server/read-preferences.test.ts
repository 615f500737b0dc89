import { describe, expect, it } from 'vitest';
import { readPreferences } from '../../../src/server/read-preferences.ts';

describe('the Prefer header', () => {
  it.each([
    [undefined, false, null],
    ['', false, null],
    ['respond-async', true, null],
    ['Respond-Async', true, null],
    ['respond-async, wait=10', true, 10_000],
    ['wait="10" ,respond-async;x=1', true, 10_000],
    ['wait=0', false, 0],
    ['return=minimal, wait=5', false, 5_000],
    ['wait=5, wait=6', false, 5_000],
    ['wait=999999999', false, 86_400_000],
    ['wait=-1', false, null],
    ['wait=soon', false, null],
    ['wait', false, null],
    ['respond-async=no', false, null],
    [',;,=,', false, null],
  ])('%j', (header, respondAsync, waitMs) => {
    expect(readPreferences(header)).toEqual({ respondAsync, waitMs });
  });
});
