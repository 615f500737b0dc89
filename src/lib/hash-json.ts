import canonicalize from 'canonicalize';
import { toHex } from './to-hex.ts';

/** SHA-256, in hexadecimal digits, of the canonical form of a JSON value (RFC 8785): the order of fields does not count. */
export const hashJson = async (value: unknown): Promise<string> => hashText(canonicalize(value) ?? '');

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export const hashText = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
