import { describe, expect, it } from 'vitest';
import { keysOf } from '../../../src/lib/keys-of.ts';

const wide = () => Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key${n}`, n]));

describe('the keys of an object', () => {
  it('are listed once for a wide one that cannot change', () => {
    const value = Object.freeze(wide());
    expect(keysOf(value)).toBe(keysOf(value));
    expect(keysOf(value)).toHaveLength(1_000);
  });

  it('are those that it has now when it may change', () => {
    const value: Record<string, number> = wide();
    keysOf(value);
    value['late'] = 1;
    expect(keysOf(value)).toContain('late');
  });
});
