const encoder = new TextEncoder();
const SAMPLE_BYTES = 64 * 1024;
const scratch = new Uint8Array(SAMPLE_BYTES);

/**
 * Bytes of a text in UTF-8, for figures: exact as far as 64 KiB go, and beyond that as many as the rest would have if it
 * were like the beginning. Encoding all of a large text would cost as much as parsing it did.
 */
export const utf8Size = (text: string): number => {
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length ? written : Math.round((written * text.length) / read);
};
