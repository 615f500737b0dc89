import { parseJsonPointer } from './json-pointer.ts';

/** A schema with more than this many subschemas to try against one and the same value is refused. */
export const MAX_SCHEMA_COST = 2_000;

/**
 * How many subschemas one value may have to be tried against, references followed: a few nested `allOf` that each
 * refer to the next one twice make that number explode. Infinity for references that come back to themselves without
 * going into the value.
 */
export const schemaCost = (root: unknown): number => {
  const known = new Map<object, number>();
  const open = new Set<object>();
  let most = 0;

  const costOf = (schema: unknown): number => {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 1;
    const seen = known.get(schema);
    if (seen !== undefined) return seen;
    if (open.has(schema)) return Number.POSITIVE_INFINITY;
    open.add(schema);
    let cost = 1;
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref' && typeof value === 'string') cost += costOf(targetOf(root, value));
      else if (SAME_VALUE_LISTS.has(keyword) && Array.isArray(value)) for (const child of value) cost += costOf(child);
      else if (SAME_VALUE_MAPS.has(keyword) && typeof value === 'object' && value !== null) {
        for (const child of Object.values(value)) cost += costOf(child);
      } else if (SAME_VALUE.has(keyword)) cost += costOf(value);
    }
    open.delete(schema);
    known.set(schema, cost);
    most = Math.max(most, cost);
    return cost;
  };

  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) costOf(value);
    for (const child of Object.values(value)) visit(child);
  };
  visit(root);
  return most;
};

/** Keywords that hold the same value against another schema; all others go into the value. */
const SAME_VALUE_LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
const SAME_VALUE_MAPS = new Set(['dependentSchemas', 'dependencies']);
const SAME_VALUE = new Set(['not', 'if', 'then', 'else']);

/** What a reference into the schema itself leads to; null for nothing, and for every other reference. */
export const targetOf = (root: unknown, reference: string): unknown => {
  const fragment = /^#((?:\/.*)?)$/.exec(reference)?.[1];
  if (fragment === undefined) return null;
  let target = root;
  for (const step of parseJsonPointer(decodeFragment(fragment))) {
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, step)) return null;
    target = (target as Record<string, unknown>)[step];
  }
  return target;
};

/** A pointer in a URI fragment is percent-encoded; one that is not decodable leads nowhere. */
export const decodeFragment = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return '/\u0000';
  }
};
