/** Bytes that an excerpt shows. */
export const EXCERPT_BYTES = 80;

/** The first bytes of what a plugin wrote, made printable, with a mark where it goes on. */
export const excerptOfBytes = (bytes: Uint8Array): string => {
  const shown = new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES)).replaceAll(/\p{Cc}/gu, '\uFFFD');
  return bytes.length > EXCERPT_BYTES ? `${shown}…` : shown;
};
