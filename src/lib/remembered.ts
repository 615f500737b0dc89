/** A function that makes its value once for each set of texts. For sets that are few: none is ever forgotten. */
export const remembered = <Keys extends readonly string[], Value>(
  make: (...keys: Keys) => Value,
): ((...keys: Keys) => Value) => {
  const made = new Map<string, Value>();
  return (...keys) => {
    const key = keys.length === 1 ? (keys[0] as string) : keys.join(' ');
    let value = made.get(key);
    if (value === undefined) {
      value = make(...keys);
      made.set(key, value);
    }
    return value;
  };
};
