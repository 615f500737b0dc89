import type { Issue } from './issue.ts';
import { toJsonPointer } from './json-pointer.ts';

export type JsonBounds = { readonly jsonDepth: number; readonly jsonNodes: number };

/** A chain of steps, so that a path costs nothing until something is wrong. */
type Place = { readonly key: string | number; readonly parent: Place | null };

type Visit = { readonly value: object; readonly place: Place | null; readonly depth: number };

/**
 * The first thing in a value that JSON cannot carry, or null when it is plain JSON within the bounds.
 *
 * Refused: undefined, functions, symbols, BigInt, NaN and infinities, lone surrogates, class instances (Date, Map,
 * typed arrays …), sparse arrays, accessors, cycles, a key named `__proto__`. Nothing recurses and no getter is run,
 * so no value can harm the host. A value that occurs twice without a cycle is fine, as it is in JSON.stringify.
 */
export const checkJsonValue = (root: unknown, bounds: JsonBounds): Issue | null => {
  const found = checkScalar(root, null);
  if (found !== null) return found;
  if (typeof root !== 'object' || root === null) return null;

  let nodes = 1;
  const stack: Visit[] = [{ value: root, place: null, depth: 1 }];
  while (stack.length > 0) {
    const { value, place, depth } = stack.pop() as Visit;
    // A cycle is an endless descent, so the depth limit finds it without a set of all objects seen.
    if (depth > bounds.jsonDepth)
      return issue(place, `is nested deeper than ${bounds.jsonDepth} levels, or refers to itself`);

    const isArray = Array.isArray(value);
    if (isArray) {
      if (Object.getPrototypeOf(value) !== Array.prototype)
        return issue(place, 'is an array of a class, which JSON cannot carry');
      if (Object.hasOwn(value, 'toJSON')) return issue(place, 'is an array with a toJSON, which JSON cannot carry');
    } else {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) {
        const name = (prototype as { constructor?: { name?: unknown } }).constructor?.name;
        return issue(
          place,
          `is ${typeof name === 'string' ? article(name) : 'an object with a prototype'}, which JSON cannot carry`,
        );
      }
      if (Object.getOwnPropertySymbols(value).length > 0)
        return issue(place, 'has a symbol as a key, which JSON cannot carry');
    }

    const keys = isArray ? null : Object.keys(value);
    const count = isArray ? value.length : (keys as string[]).length;
    nodes += count;
    if (nodes > bounds.jsonNodes) return issue(place, `makes the document larger than ${bounds.jsonNodes} values`);

    for (let index = 0; index < count; index += 1) {
      const key = keys === null ? index : (keys[index] as string);
      if (key === '__proto__') return issue({ key, parent: place }, 'is a key that is never accepted');
      if (typeof key === 'string' && !key.isWellFormed()) return issue(place, 'has a key with a lone surrogate');
      const child = ownData(value, key);
      if (child === undefined)
        return issue({ key, parent: place }, 'is undefined, a hole or an accessor, which JSON cannot carry');
      if (typeof child === 'object' && child !== null) {
        stack.push({ value: child, place: { key, parent: place }, depth: depth + 1 });
      } else if (typeof child !== 'boolean' && child !== null) {
        const wrong = scalarFault(child);
        if (wrong !== null) return issue({ key, parent: place }, wrong);
      }
    }
  }
  return null;
};

/** The value of an own data property; undefined for anything else, so that no getter of a plugin's runs here. */
const ownData = (owner: object, key: string | number): unknown => {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  return descriptor !== undefined && 'value' in descriptor ? descriptor.value : undefined;
};

const checkScalar = (value: unknown, place: Place | null): Issue | null => {
  if (value === undefined) return issue(place, 'is undefined');
  if (value === null || typeof value === 'object') return null;
  const wrong = scalarFault(value);
  return wrong === null ? null : issue(place, wrong);
};

const scalarFault = (value: unknown): string | null => {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : 'holds a lone surrogate, which is not valid Unicode text';
    case 'number':
      return Number.isFinite(value) ? null : `is ${String(value)}, which JSON cannot carry`;
    case 'boolean':
      return null;
    default:
      return `is ${article(typeof value)}, which JSON cannot carry`;
  }
};

const article = (name: string): string => `${/^(?!uint)[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;

const issue = (place: Place | null, message: string): Issue => {
  const path: (string | number)[] = [];
  for (let step = place; step !== null; step = step.parent) path.unshift(step.key);
  return { pointer: toJsonPointer(path), message };
};
