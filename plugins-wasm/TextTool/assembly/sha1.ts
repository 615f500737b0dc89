import { bytesOfWords, padded, wordOf } from './padded';

/** FIPS 180-4. */
export function sha1(message: Uint8Array): Uint8Array {
  const bytes = padded(message, true);
  const state: StaticArray<u32> = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const schedule = new StaticArray<u32>(80);
  for (let block = 0; block < bytes.length; block += 64) {
    for (let t = 0; t < 16; t++) schedule[t] = wordOf(bytes, block + 4 * t);
    for (let t = 16; t < 80; t++) {
      schedule[t] = rotl(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    for (let t = 0; t < 80; t++) {
      const next = rotl(a, 5) + mixed(t, b, c, d) + e + schedule[t];
      e = d;
      d = c;
      c = rotl(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
  return bytesOfWords(state);
}

function mixed(t: i32, b: u32, c: u32, d: u32): u32 {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
