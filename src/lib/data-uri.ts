import { decodeBase64 } from './base64.ts';

export type ParsedDataUri =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mimeType: string | null }
  | { readonly ok: false; readonly reason: string };

/** RFC 2397. The declared type keeps its parameters out; a missing one is null, not `text/plain`. */
export const parseDataUri = (uri: string): ParsedDataUri => {
  const comma = uri.indexOf(',');
  const head = uri.slice(0, comma);
  if (comma === -1 || !/^data:/i.test(head))
    return { ok: false, reason: 'it is not of the form data:[type][;base64],…' };
  const [type = '', ...parameters] = head.slice(5).split(';');
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.toLowerCase() : null;
  const body = uri.slice(comma + 1);
  if (parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')) {
    // Base64 has three characters that some encode in a URI: `%2B`, `%2F` and `%3D`.
    const decoded = decodeBase64(body.includes('%') ? plainBase64(body) : body);
    return decoded.ok ? { ok: true, bytes: decoded.bytes, mimeType } : decoded;
  }
  try {
    return { ok: true, bytes: percentDecode(body), mimeType };
  } catch {
    return { ok: false, reason: 'its percent-encoding is broken' };
  }
};

const plainBase64 = (body: string): string =>
  body.replaceAll(/%(?:2[bf]|3d)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

/** Characters in which the head of a data URI ends, or it is none that anybody would write. */
const HEAD_CHARACTERS = 256;
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=(?:[\w.+%:/-]*|"[^"]*"))?)*$/i;
const URI_CHARACTERS = /^[\w\-.~!$&'()*+,;=:@/?%#[\]]*$/;

const TEXT_TYPE = /^(?:text\/.+|application\/(?:json|xml|javascript|yaml)|.+\+(?:json|xml))$/i;
const MARKUP_TYPE = /^(?:text\/(?:html|xml)|application\/xml|.+\+xml)$/i;

/**
 * Whether a text that nobody has called a data URI is one: in Base64, or of a type of text. Prose has a type before a
 * comma too, so what is not Base64 has no white space, or is markup from its first character to its last, which many
 * write without encoding it.
 */
export const isDataUri = (text: string): boolean => {
  if (text.length < 7 || text.slice(0, 5).toLowerCase() !== 'data:') return false;
  const comma = text.slice(0, HEAD_CHARACTERS).indexOf(',');
  if (comma === -1 || comma === text.length - 1) return false;
  const head = text.slice(0, comma);
  const match = HEAD.exec(head);
  if (match === null) return false;
  if (/;base64$/i.test(head)) return true;
  const type = match[1];
  if (type === undefined || !TEXT_TYPE.test(type)) return false;
  return URI_CHARACTERS.test(text.slice(comma)) || (MARKUP_TYPE.test(type) && isMarkup(text, comma + 1));
};

const isMarkup = (text: string, from: number): boolean =>
  text
    .slice(from, from + 64)
    .trimStart()
    .startsWith('<') && text.slice(-64).trimEnd().endsWith('>');

/** Bytes, not text: `%FF` is one byte and need not be UTF-8. */
const percentDecode = (text: string): Uint8Array => {
  const source = new TextEncoder().encode(text);
  const bytes = new Uint8Array(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index += 1) {
    let byte = source[index] as number;
    if (byte === 0x25) {
      const hex = String.fromCharCode(source[index + 1] ?? 0, source[index + 2] ?? 0);
      if (!/^[0-9A-Fa-f]{2}$/.test(hex)) throw new RangeError('bad percent-encoding');
      byte = Number.parseInt(hex, 16);
      index += 2;
    }
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
};
