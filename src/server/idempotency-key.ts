/** The bare form: visible ASCII without what separates the values of a header. */
const BARE = /^[!#-+\--:<-~]{1,255}$/;
/** A structured-field string (RFC 9651 §3.3.3): printable ASCII in quotes, where `\` escapes `"` and itself. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const MOST_CHARACTERS = 255;

/**
 * The key in an `Idempotency-Key` header, or null when it is malformed. The draft standard quotes it, most clients do
 * not: both forms of the same characters are the same key.
 */
export const readIdempotencyKey = (header: string): string | null => {
  const text = header.trim();
  if (BARE.test(text)) return text;
  const key = QUOTED.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  return key === undefined || key === '' || key.length > MOST_CHARACTERS ? null : key;
};
