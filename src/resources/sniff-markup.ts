export type MarkupType = 'text/html' | 'image/svg+xml' | 'application/xml';

/** Bytes of prologue, comments and white space that are looked through for the first element. */
const LOOKED_AT = 16 * 1024;

/** Elements that make browsers take a document without a declaration for HTML (WHATWG MIME Sniffing). */
const HTML_ELEMENTS = new Set('html head script iframe h1 div font table a style title b body br p'.split(' '));

/**
 * What kind of markup a file begins with, or null when it is none. These types have no magic bytes, and are the ones that
 * a browser runs scripts of; so what is in the file must not be a matter of its name.
 */
export const sniffMarkup = (head: Uint8Array): MarkupType | null => {
  const text = decode(head.subarray(0, LOOKED_AT));
  let isXml = false;
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
    if (text[at] !== '<') return isXml ? 'application/xml' : null;
    if (text.startsWith('<?', at)) {
      isXml ||= /^<\?xml\s/i.test(text.slice(at, at + 6));
      at = after(text, '?>', at);
    } else if (text.startsWith('<!--', at)) {
      at = after(text, '-->', at);
    } else if (/^<!doctype\s/i.test(text.slice(at, at + 10))) {
      const name = /^\s*([^\s>[]{1,32})/.exec(text.slice(at + 9, at + 64))?.[1]?.toLowerCase();
      if (name === 'html') return 'text/html';
      if (name === 'svg') return 'image/svg+xml';
      at = afterDoctype(text, at);
    } else {
      const element = /^<(?:[\w.-]{1,32}:)?([\w.-]{1,32})(?=[\s/>])/.exec(text.slice(at, at + 80))?.[1]?.toLowerCase();
      if (element === 'svg') return 'image/svg+xml';
      if (element !== undefined && HTML_ELEMENTS.has(element))
        return isXml && element !== 'html' ? 'application/xml' : 'text/html';
      return isXml ? 'application/xml' : null;
    }
    if (at === -1) return isXml ? 'application/xml' : null;
  }
};

const after = (text: string, end: string, from: number): number => {
  const found = text.indexOf(end, from + 2);
  return found === -1 ? -1 : found + end.length;
};

/** Past the subset in brackets, if there is one. */
const afterDoctype = (text: string, from: number): number => {
  const end = text.indexOf('>', from);
  const subset = text.indexOf('[', from);
  return subset === -1 || (end !== -1 && end < subset) ? (end === -1 ? -1 : end + 1) : after(text, ']>', subset - 2);
};

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Markup is ASCII up to the name of its first element, in UTF-16 too once that is known by its mark. */
const decode = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
};
