// The smallest whole pictures of each format: every decoder reads them.
import { big, crc32, join, little, packBits, zeros, type Part } from './bytes.ts';

const chunk = (name: string, ...content: readonly Part[]): Uint8Array => {
  const body = join(name, ...content);
  return join(big(body.length - 4, 4), body, big(crc32(body), 4));
};

/** zlib with one block that is stored as it is. */
const stored = (bytes: Uint8Array): Uint8Array => {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return join(
    [0x78, 0x01, 0x01],
    little(bytes.length, 2),
    little(bytes.length ^ 0xffff, 2),
    bytes,
    big(b, 2),
    big(a, 2),
  );
};

/** 3 × 2, grey. */
export const png = (): Uint8Array =>
  join(
    [0x89, 'P'.charCodeAt(0), 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    chunk('IHDR', big(3, 4), big(2, 4), [8, 0, 0, 0, 0]),
    chunk('IDAT', stored(Uint8Array.of(0, 0, 128, 255, 0, 255, 128, 0))),
    chunk('IEND'),
  );

/** 16 × 8, grey: two blocks whose every coefficient is 0. */
export const jpeg = (): Uint8Array => {
  const segment = (marker: number, ...content: readonly Part[]) => {
    const body = join(...content);
    return join([0xff, marker], big(body.length + 2, 2), body);
  };
  /** A Huffman table with the one code `0`, for the symbol 0. */
  const table = (kind: number) => segment(0xc4, [kind, 1], zeros(15), [0]);
  return join(
    [0xff, 0xd8],
    segment(0xe0, 'JFIF\0', [1, 1, 0], big(1, 2), big(1, 2), [0, 0]),
    segment(0xdb, [0], new Uint8Array(64).fill(1)),
    segment(0xc0, [8], big(8, 2), big(16, 2), [1, 1, 0x11, 0]),
    table(0x00),
    table(0x10),
    segment(0xda, [1, 1, 0, 0, 63, 0]),
    [0x0f],
    [0xff, 0xd9],
  );
};

/** 5 × 4, two colours in turn. */
export const gif = (): Uint8Array => {
  const pixels = Array.from({ length: 20 }, (_, index) => index % 2);
  // The table is emptied before a code would need a fourth bit.
  const codes = pixels.flatMap((pixel, index) => (index % 2 === 0 ? [4, pixel] : [pixel]));
  const data = packBits([...codes, 5].map((code) => [code, 3] as const));
  return join(
    'GIF89a',
    little(5, 2),
    little(4, 2),
    [0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    [0x2c],
    zeros(4),
    little(5, 2),
    little(4, 2),
    [0, 2, data.length],
    data,
    [0, 0x3b],
  );
};

/** 7 × 6, all of one colour: each prefix code has one symbol, so the pixels take no bits. */
export const webp = (): Uint8Array => {
  const symbol = (value: number) =>
    [
      [1, 1],
      [0, 1],
      [1, 1],
      [value, 8],
    ] as const;
  const header = [
    [7 - 1, 14],
    [6 - 1, 14],
    [0, 1],
    [0, 3],
    [0, 1],
    [0, 1],
    [0, 1],
  ] as const;
  const bits = packBits([...header, ...symbol(200), ...symbol(100), ...symbol(50), ...symbol(255), ...symbol(0)]);
  const data = join([0x2f], bits, zeros((bits.length + 1) % 2));
  const body = join('WEBPVP8L', little(1 + bits.length, 4), data);
  return join('RIFF', little(body.length, 4), body);
};
