const known = new WeakMap<object, readonly string[]>();
/** Objects with fewer keys are as fast to ask again. */
const WIDE = 256;

/** The keys of an object. Engines make the whole list even for the first key, so that of a wide frozen one is kept. */
export const keysOf = (value: object): readonly string[] => {
  const before = known.get(value);
  if (before !== undefined) return before;
  const keys = Object.keys(value);
  if (keys.length >= WIDE && Object.isFrozen(value)) known.set(value, keys);
  return keys;
};
