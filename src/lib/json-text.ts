const texts = new WeakMap<object, string>();

/**
 * The JSON text of a sealed value, made once: the store, the HTTP answer and later readers share it. Only for values
 * that nobody can change any more.
 */
export const jsonTextOf = (sealed: object): string => {
  const known = texts.get(sealed);
  if (known !== undefined) return known;
  const text = JSON.stringify(sealed);
  if (Object.isFrozen(sealed)) texts.set(sealed, text);
  return text;
};
