// What the makers of files have in common. Portable.

export type Part = Uint8Array | readonly number[] | string;

/** Parts one after the other; texts as UTF-8. */
export const join = (...parts: readonly Part[]): Uint8Array => {
  const all = parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : Uint8Array.from(part)));
  const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
};

/** A number in so many bytes, the most significant first. */
export const big = (value: number, size: number): number[] =>
  Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);

/** A number in so many bytes, the least significant first. */
export const little = (value: number, size: number): number[] => big(value, size).toReversed();

export const zeros = (count: number): Uint8Array => new Uint8Array(count);

/** CRC-32 as in PNG and ZIP. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
};

/** Bits, the least significant of each byte first, as GIF and WebP have them. */
export const packBits = (fields: readonly (readonly [value: number, width: number])[]): Uint8Array => {
  const bits = fields.flatMap(([value, width]) => Array.from({ length: width }, (_, index) => (value >>> index) & 1));
  const bytes = zeros(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) bytes[index >> 3] = (bytes[index >> 3] as number) | (bit << (index & 7));
  return bytes;
};
