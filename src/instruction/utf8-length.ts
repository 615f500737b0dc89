/** Bytes of a text in UTF-8. Each half of a surrogate pair counts two, so that pieces add up to their whole. */
export const utf8Length = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x8_00 || (code >= 0xd8_00 && code <= 0xdf_ff) ? 1 : 2;
  }
  return bytes;
};
