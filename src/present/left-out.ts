import { keysOf } from '../lib/keys-of.ts';
import type { Omission } from '../lib/sample-json.ts';
import type { JsonValue } from '../protocol/json.ts';

/** Says that a whole value has no place in a view; nothing for one that is empty. */
export const leftOut = (pointer: string, value: JsonValue | object | undefined): Omission[] => {
  if (value === null || value === undefined) return [];
  const originalCount = typeof value === 'object' ? keysOf(value).length : `${value}`.length;
  return originalCount === 0 ? [] : [{ pointer, unit: unitOf(value), originalCount, keptCount: 0 }];
};

const unitOf = (value: JsonValue | object): Omission['unit'] => {
  if (typeof value !== 'object') return 'characters';
  return Array.isArray(value) ? 'items' : 'fields';
};
