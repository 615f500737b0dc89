export type JsonFault = { readonly pointer: string; readonly message: string };

/** The first value that JSON.stringify would refuse, or lose without a word: a number as null, a Map as {}. */
export function jsonFault(value: unknown, pointer = '', above: readonly object[] = []): JsonFault | null {
  const fault = (message: string): JsonFault => ({ pointer, message });
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : fault('holds a lone surrogate, which is not valid Unicode text');
    case 'number':
      return Number.isFinite(value) ? null : fault(`is ${value}, which JSON cannot carry`);
    case 'boolean':
    case 'undefined': // left out of an object; arrays are looked at below
      return null;
    case 'object':
      return value === null ? null : objectFault(value, pointer, above);
    default:
      return fault(`is a ${typeof value}, which JSON cannot carry`);
  }
}

function objectFault(value: object, pointer: string, above: readonly object[]): JsonFault | null {
  const fault = (message: string): JsonFault => ({ pointer, message });
  if (ArrayBuffer.isView(value)) return fault('holds bytes; store them with resources.write');
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    if (value instanceof Date && Number.isNaN(value.getTime())) return fault('is an invalid Date');
    return jsonFault(value.toJSON(), pointer, above);
  }
  if (above.includes(value)) return fault('refers to itself, which JSON cannot carry');
  const inside = [...above, value];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const at = `${pointer}/${index}`;
      if (item === undefined) return { pointer: at, message: 'is undefined, which JSON cannot carry' };
      const found = jsonFault(item, at, inside);
      if (found !== null) return found;
    }
    return null;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return fault(`is a ${value.constructor.name || 'class instance'}; give plain objects and arrays`);
  }
  for (const [key, child] of Object.entries(value)) {
    if (!key.isWellFormed()) return fault('has a key with a lone surrogate');
    const found = jsonFault(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, inside);
    if (found !== null) return found;
  }
  return null;
}
