import { Bytes } from './bytes';

const LONGEST = 258;
const SHORTEST = 3;

/**
 * Bytes in the zlib format (RFC 1950, 1951), compressed as far as they repeat the byte before: with the filter of
 * png.ts, most of the picture of a symbol does.
 */
export function deflate(data: Uint8Array): Uint8Array {
  const out = new Bytes();
  out.push(0x78);
  out.push(0x9c);
  const bits = new Bits(out);
  bits.write(0b011, 3); // the last block, with the fixed codes
  let at = 0;
  while (at < data.length) {
    const run = at == 0 ? 0 : runLength(data, at);
    if (run >= SHORTEST) {
      bits.repeat(run);
      at += run;
    } else bits.literal(data[at++]);
  }
  bits.code(0, 7); // the end of the block
  bits.flush();
  out.push32(adler32(data));
  return out.view();
}

/** How often the byte before `from` comes again. */
function runLength(data: Uint8Array, from: i32): i32 {
  const byte = data[from - 1];
  const end = min(from + LONGEST, data.length);
  let at = from;
  while (at < end && data[at] == byte) at++;
  return at - from;
}

class Bits {
  private held: u32 = 0;
  private count: i32 = 0;

  constructor(private readonly out: Bytes) {}

  /** Values go out with the lowest bit first, */
  write(value: u32, bits: i32): void {
    this.held |= value << this.count;
    this.count += bits;
    while (this.count >= 8) {
      this.out.push(this.held & 0xff);
      this.held >>= 8;
      this.count -= 8;
    }
  }

  /** and codes with the highest. */
  code(code: u32, bits: i32): void {
    for (let bit = bits - 1; bit >= 0; bit--) this.write((code >> bit) & 1, 1);
  }

  literal(byte: u32): void {
    if (byte < 144) this.code(0x30 + byte, 8);
    else this.code(0x190 + byte - 144, 9);
  }

  /** The byte before, `length` times. */
  repeat(length: i32): void {
    if (length == LONGEST) this.symbol(285);
    else if (length < 11) this.symbol(254 + length);
    else {
      // Four codes for each number of further bits, which doubles the lengths that one code stands for.
      const offset = length - SHORTEST;
      const extra = 29 - clz(offset);
      this.symbol(257 + 4 * (extra + 1) + ((offset >> extra) & 3));
      this.write(offset & ((1 << extra) - 1), extra);
    }
    this.code(0, 5); // distance 1
  }

  private symbol(symbol: u32): void {
    if (symbol < 280) this.code(symbol - 256, 7);
    else this.code(0xc0 + symbol - 280, 8);
  }

  flush(): void {
    if (this.count > 0) this.out.push(this.held & 0xff);
    this.held = 0;
    this.count = 0;
  }
}

function adler32(data: Uint8Array): u32 {
  let low: u32 = 1;
  let high: u32 = 0;
  for (let at = 0; at < data.length; at++) {
    low = (low + data[at]) % 65521;
    high = (high + low) % 65521;
  }
  return (high << 16) | low;
}
