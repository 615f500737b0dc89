import { AsciiWriter } from './ascii-writer';

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** RFC 4648; the URL form has no padding. */
export function toBase64(bytes: Uint8Array, isUrl: bool): string {
  const alphabet = isUrl ? URL_SAFE : STANDARD;
  const out = new AsciiWriter(((bytes.length + 2) / 3) * 4);
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group =
      ((<u32>bytes[at]) << 16) | (left > 1 ? (<u32>bytes[at + 1]) << 8 : 0) | (left > 2 ? <u32>bytes[at + 2] : 0);
    for (let digit = 0; digit < 4; digit++) {
      if (digit <= left) out.push(alphabet.charCodeAt((group >> (18 - 6 * digit)) & 63));
      else if (!isUrl) out.push(0x3d);
    }
  }
  return out.toString();
}

/** Both alphabets, with padding or without; white space is passed over. Null when it is neither. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = new Uint8Array((text.length * 3) / 4 + 3);
  let length = 0;
  let held: u32 = 0;
  let digits = 0;
  let padding = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit == 0x20 || (unit >= 0x09 && unit <= 0x0d)) continue;
    if (unit == 0x3d) {
      padding++;
      continue;
    }
    const value = valueOf(unit);
    if (value < 0 || padding > 0) return null;
    held = (held << 6) | value;
    digits++;
    if (digits % 4 == 0) {
      bytes[length++] = <u8>(held >> 16);
      bytes[length++] = <u8>(held >> 8);
      bytes[length++] = <u8>held;
      held = 0;
    }
  }
  const rest = digits % 4;
  if (rest == 1 || (padding > 0 && (rest == 0 || rest + padding != 4))) return null;
  // Bits beyond the last byte have to be zero: another text would mean the same bytes.
  if (rest == 2) {
    if ((held & 15) != 0) return null;
    bytes[length++] = <u8>(held >> 4);
  } else if (rest == 3) {
    if ((held & 3) != 0) return null;
    bytes[length++] = <u8>(held >> 10);
    bytes[length++] = <u8>(held >> 2);
  }
  return bytes.subarray(0, length);
}

function valueOf(unit: i32): i32 {
  if (unit >= 0x41 && unit <= 0x5a) return unit - 0x41;
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61 + 26;
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30 + 52;
  if (unit == 0x2b || unit == 0x2d) return 62;
  if (unit == 0x2f || unit == 0x5f) return 63;
  return -1;
}
