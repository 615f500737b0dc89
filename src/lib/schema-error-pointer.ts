import { toJsonPointer } from './json-pointer.ts';

/** Keys that are tried, and characters that a pointer may have, before it is taken as it is: callers choose both. */
const MOST_TRIES = 128;
const MOST_CHARACTERS = 2_000;

/**
 * The JSON Pointer that the schema library meant: it joins keys by `/` without escaping them, so that `/a/b` may be
 * the key `a/b`. The value tells which keys there are; where it does not, a valid pointer is all that is promised.
 */
export const schemaErrorPointer = (joined: string, value: unknown): string => {
  if (joined === '') return '';
  let tries = 0;

  const pathIn = (rest: string, owner: unknown): PropertyKey[] | null => {
    if (rest === '') return [];
    if (typeof owner !== 'object' || owner === null) return null;
    for (let end = nextEnd(rest, 0); end !== -1; end = nextEnd(rest, end)) {
      tries += 1;
      if (tries > MOST_TRIES) return null;
      const key = rest.slice(1, end);
      if (!Object.hasOwn(owner, key)) continue;
      const below = pathIn(rest.slice(end), (owner as Record<string, unknown>)[key]);
      if (below !== null) return [key, ...below];
    }
    return null;
  };

  const isReadable = joined.startsWith('/') && joined.length <= MOST_CHARACTERS;
  const path = isReadable ? pathIn(joined, value) : null;
  return path === null ? joined.replaceAll('~', '~0') : toJsonPointer(path);
};

/** Where the next possible key ends: at each slash, and at the end of the text; -1 after that. */
const nextEnd = (text: string, after: number): number => {
  if (after === text.length) return -1;
  const slash = text.indexOf('/', after + 1);
  return slash === -1 ? text.length : slash;
};
