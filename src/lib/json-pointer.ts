/** RFC 6901: the pointer to the place that the given keys and indexes lead to. `[]` is the whole document, `''`. */
export const toJsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The keys of a pointer, unescaped. Throws a TypeError when the text is not a JSON Pointer. */
export const parseJsonPointer = (pointer: string): string[] => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new TypeError(`not a JSON Pointer: ${pointer.slice(0, 100)}`);
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
};

const MOST_CHARACTERS = 1_000;

/** A pointer to be shown: it holds keys that a plugin or caller chose, at any length. Keeps `~0` and `~1` whole. */
export const shortPointer = (pointer: string): string =>
  pointer.length > MOST_CHARACTERS ? `${pointer.slice(0, MOST_CHARACTERS).replace(/~$/, '').toWellFormed()}…` : pointer;

/** What the pointer leads to, or undefined when there is nothing. Only own properties are followed. */
export const resolveJsonPointer = (document: unknown, pointer: string): unknown => {
  let value = document;
  for (const step of parseJsonPointer(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(step)) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
};

/** §5.7 names a field as `data.items`; a key that itself holds a dot or bracket is quoted. */
export const pointerToTarget = (pointer: string): string =>
  parseJsonPointer(pointer)
    .map((step) => (/[.[\]"]/.test(step) ? `["${step}"]` : step))
    .join('.');
