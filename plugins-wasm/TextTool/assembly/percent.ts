import { AsciiWriter } from './ascii-writer';
import { hexValue } from './hex';

const HEX = '0123456789ABCDEF';

/** RFC 3986: all but letters, digits, `-`, `.`, `_` and `~`. */
export function toPercent(bytes: Uint8Array): string {
  const out = new AsciiWriter(bytes.length * 3);
  for (let at = 0; at < bytes.length; at++) {
    const byte = <i32>bytes[at];
    if (isUnreserved(byte)) out.push(byte);
    else {
      out.push(0x25);
      out.push(HEX.charCodeAt(byte >> 4));
      out.push(HEX.charCodeAt(byte & 15));
    }
  }
  return out.toString();
}

/** The bytes of a text in UTF-8 with what `%` stands before put in; null when a `%` has no two digits. */
export function fromPercent(bytes: Uint8Array): Uint8Array | null {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] != 0x25) {
      out[length++] = bytes[at];
      continue;
    }
    if (at + 2 >= bytes.length) return null;
    const high = hexValue(bytes[at + 1]);
    const low = hexValue(bytes[at + 2]);
    if (high < 0 || low < 0) return null;
    out[length++] = <u8>((high << 4) | low);
    at += 2;
  }
  return out.subarray(0, length);
}

function isUnreserved(byte: i32): bool {
  const lower = byte | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte == 0x2d ||
    byte == 0x2e ||
    byte == 0x5f ||
    byte == 0x7e
  );
}
