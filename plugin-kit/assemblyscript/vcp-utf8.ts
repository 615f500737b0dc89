import { TextWriter } from './vcp-text';

/** A text as UTF-8. Half of a surrogate pair alone, which UTF-8 does not have, becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const writer = new TextWriter();
  writer.text(text);
  const bytes = new Uint8Array(writer.length);
  memory.copy(bytes.dataStart, writer.address, writer.length);
  return bytes;
}

/** The text of bytes in UTF-8; null when they are not, and what is too long or encodes a surrogate is not. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length == 0) return null;
    at += length;
  }
  return String.UTF8.decodeUnsafe(bytes.dataStart, bytes.length);
}

/** Bytes of the character here; 0 when there is no valid one. */
function sequenceLength(bytes: Uint8Array, at: i32): i32 {
  const first = <u32>bytes[at];
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0;
  for (let next = 1; next < length; next++) if ((bytes[at + next] & 0xc0) != 0x80) return 0;
  const second = <u32>bytes[at + 1];
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}
