import canonicalize from 'canonicalize';
import { sha256Of } from './sha256.ts';

/** SHA-256, in hexadecimal digits, of the canonical form of a JSON value (RFC 8785): the order of fields does not count. */
export const hashJson = async (value: unknown): Promise<string> => hashText(canonicalize(value) ?? '');

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export const hashText = (text: string): Promise<string> => sha256Of(new TextEncoder().encode(text));
