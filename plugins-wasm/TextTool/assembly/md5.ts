import { padded } from './padded';

/** RFC 1321: the places by which each of the four rounds turns. */
const TURNS: StaticArray<u8> = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

export function md5(message: Uint8Array): Uint8Array {
  const bytes = padded(message, false);
  let a: u32 = 0x67452301;
  let b: u32 = 0xefcdab89;
  let c: u32 = 0x98badcfe;
  let d: u32 = 0x10325476;
  for (let block = 0; block < bytes.length; block += 64) {
    const before = [a, b, c, d];
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const word = wordAt(round, step);
      const mix = mixed(round, b, c, d) + a + constant(step) + load<u32>(bytes.dataStart + block + 4 * word);
      a = d;
      d = c;
      c = b;
      b += rotl(mix, <u32>TURNS[(round << 2) | (step & 3)]);
    }
    a += before[0];
    b += before[1];
    c += before[2];
    d += before[3];
  }
  const digest = new Uint8Array(16);
  store<u32>(digest.dataStart, a);
  store<u32>(digest.dataStart, b, 4);
  store<u32>(digest.dataStart, c, 8);
  store<u32>(digest.dataStart, d, 12);
  return digest;
}

function wordAt(round: i32, step: i32): i32 {
  if (round == 0) return step;
  if (round == 1) return (5 * step + 1) & 15;
  if (round == 2) return (3 * step + 5) & 15;
  return (7 * step) & 15;
}

function mixed(round: i32, b: u32, c: u32, d: u32): u32 {
  if (round == 0) return (b & c) | (~b & d);
  if (round == 1) return (d & b) | (~d & c);
  if (round == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

function constant(step: i32): u32 {
  return <u32>Math.floor(4294967296 * Math.abs(Math.sin(<f64>(step + 1))));
}
