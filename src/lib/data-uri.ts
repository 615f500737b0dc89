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
    const decoded = decodeBase64(body);
    return decoded.ok ? { ok: true, bytes: decoded.bytes, mimeType } : decoded;
  }
  try {
    return { ok: true, bytes: percentDecode(body), mimeType };
  } catch {
    return { ok: false, reason: 'its percent-encoding is broken' };
  }
};

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
