import { decodeBase64 } from '../lib/base64.ts';

/** Characters of Base64 that hold the longest signature. */
const HEAD_CHARACTERS = 24;

const BASE64_CHARACTERS = /^[A-Za-z0-9+/]+$/;

const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));
const ANY = -1;
const skip = (count: number): number[] => Array.from({ length: count }, () => ANY);

/**
 * First bytes that no text has by chance: each is at least four bytes long, or is followed by bytes of a narrow range.
 * The two bytes of an MPEG frame or of a Windows program are not among them.
 */
const SIGNATURES: readonly (readonly number[])[] = [
  [0x89, ...ascii('PNG'), 0x0d, 0x0a, 0x1a, 0x0a],
  [0xff, 0xd8, 0xff, 0xdb],
  ...Array.from({ length: 16 }, (_, marker) => [0xff, 0xd8, 0xff, 0xe0 + marker]),
  ascii('GIF87a'),
  ascii('GIF89a'),
  ...['WEBP', 'WAVE', 'AVI '].map((form) => [...ascii('RIFF'), ...skip(4), ...ascii(form)]),
  ascii('%PDF-'),
  [...ascii('PK'), 3, 4],
  ...[2, 3, 4].map((version) => [...ascii('ID3'), version, 0]),
  [0, 0, 0, ANY, ...ascii('ftyp')],
  [...ascii('OggS'), 0],
  [...ascii('fLaC'), 0, 0, 0],
  [0x1a, 0x45, 0xdf, 0xa3],
  [0x1f, 0x8b, 8, 0],
  [0x1f, 0x8b, 8, 8],
  [...ascii('7z'), 0xbc, 0xaf, 0x27, 0x1c],
  [...ascii('Rar!'), 0x1a, 7],
  [...ascii('II'), 0x2a, 0],
  [...ascii('MM'), 0, 0x2a],
  [0, ...ascii('asm'), 1, 0, 0, 0],
  ascii('SQLite format 3'),
  [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  [...ascii('wOF2'), 0, 1],
];

/** Whether a text begins as the Base64 of a file does. It looks at two dozen characters, however long the text is. */
export const beginsLikeFile = (text: string): boolean => {
  const start = text.slice(0, HEAD_CHARACTERS);
  // Most texts have a space by then, and are not worth an attempt.
  if (!BASE64_CHARACTERS.test(start)) return false;
  const head = decodeBase64(start);
  if (!head.ok) return false;
  return SIGNATURES.some((signature) => signature.every((byte, at) => byte === ANY || head.bytes[at] === byte));
};
