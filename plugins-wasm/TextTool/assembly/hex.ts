import { AsciiWriter } from './ascii-writer';

const DIGITS = '0123456789abcdef';

export function toHex(bytes: Uint8Array): string {
  const out = new AsciiWriter(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) {
    out.push(DIGITS.charCodeAt(bytes[at] >> 4));
    out.push(DIGITS.charCodeAt(bytes[at] & 15));
  }
  return out.toString();
}

/** White space between bytes is passed over. Null when it is no hexadecimal, or has half a byte. */
export function fromHex(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length / 2);
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit == 0x20 || (unit >= 0x09 && unit <= 0x0d)) continue;
    const value = hexValue(unit);
    if (value < 0 || digits / 2 == bytes.length) return null;
    bytes[digits / 2] = (bytes[digits / 2] << 4) | <u8>value;
    digits++;
  }
  return digits % 2 == 0 ? bytes.subarray(0, digits / 2) : null;
}

export function hexValue(unit: i32): i32 {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
