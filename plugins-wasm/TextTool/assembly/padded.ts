const BLOCK = 64;

/** A message as the hashes of the MD4 family take it: a one, zeros, and its length in bits, in blocks of 64 bytes. */
export function padded(bytes: Uint8Array, isBigEndian: bool): Uint8Array {
  const length = bytes.length;
  const out = new Uint8Array(((length + 8) / BLOCK + 1) * BLOCK);
  memory.copy(out.dataStart, bytes.dataStart, length);
  out[length] = 0x80;
  const bits = (<u64>length) << 3;
  store<u64>(out.dataStart + out.length - 8, isBigEndian ? bswap(bits) : bits);
  return out;
}

/** A word of a message, the highest byte first. */
export function wordOf(bytes: Uint8Array, at: i32): u32 {
  return bswap(load<u32>(bytes.dataStart + at));
}

/** Words as bytes, the highest byte first. */
export function bytesOfWords(words: StaticArray<u32>): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  for (let at = 0; at < words.length; at++) store<u32>(bytes.dataStart + at * 4, bswap(words[at]));
  return bytes;
}
