import iconv from 'iconv-lite';

/** Every encoding that this plugin reads and writes. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'utf-32le',
  'utf-32be',
  'gb18030',
  'gbk',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-15',
  'koi8-r',
];

const BYTE_ORDER_MARKS = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding that a byte order mark at the beginning names, with the mark's length; or null. */
export function readByteOrderMark(bytes) {
  const found = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found ? { encoding: found[0], length: found[1].length } : null;
}

export function byteOrderMarkOf(encoding) {
  return Buffer.from(BYTE_ORDER_MARKS.find(([name]) => name === encoding)?.[1] ?? []);
}

/** Bytes of one unit: a line end is looked for at multiples of it. */
export function unitOf(encoding) {
  return encoding.startsWith('utf-16') ? 2 : encoding.startsWith('utf-32') ? 4 : 1;
}

/** Text of bytes without their byte order mark. What is no character becomes U+FFFD. */
export function decode(bytes, encoding) {
  if (encoding === 'utf-8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return iconv.decode(bytes, iconvName(encoding), { stripBOM: false }).toWellFormed();
}

/** Bytes of a text, without a byte order mark. What the encoding does not have becomes `?`: see `firstUnencodable`. */
export function encode(text, encoding) {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  return iconv.encode(text, iconvName(encoding), { addBOM: false });
}

/** Whether the bytes come back from their text as they were. */
export function isExact(bytes, text, encoding) {
  return encode(text, encoding).equals(bytes);
}

/** The first character that the encoding does not have, or null. */
export function firstUnencodable(text, encoding) {
  if (encoding.startsWith('utf-')) return null;
  const isEncodable = (part) => decode(encode(part, encoding), encoding) === part;
  if (isEncodable(text)) return null;
  // Halved until it is short: each character by itself takes far longer.
  let part = text;
  while (part.length > 256) {
    const middle = part.length >> 1;
    const isInsidePair = (part.charCodeAt(middle) & 0xfc00) === 0xdc00;
    const first = part.slice(0, isInsidePair ? middle + 1 : middle);
    part = isEncodable(first) ? part.slice(first.length) : first;
  }
  for (const character of part) {
    if (!isEncodable(character)) return character;
  }
  return null;
}

function iconvName(encoding) {
  return encoding === 'utf-16be' ? 'utf16-be' : encoding === 'iso-8859-1' ? 'latin1' : encoding;
}
