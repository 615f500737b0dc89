import { parse } from 'content-disposition';

/**
 * The name in a `Content-Disposition` of a request (RFC 6266, RFC 8187). A bare `filename` in UTF-8 is read as such, though
 * no standard has it: that is what people type.
 */
export const headerFileName = (header: string | undefined): string | undefined => {
  const name = header === undefined ? undefined : parse(header).parameters['filename'];
  return name === undefined ? undefined : (utf8Of(name) ?? name);
};

/** Servers give the bytes of a header as characters up to U+00FF; null when those are not the bytes of a text in UTF-8. */
const utf8Of = (text: string): string | null => {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  if (units.some((unit) => unit > 0xff)) return null;
  try {
    const bytes = Uint8Array.from(units);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};
