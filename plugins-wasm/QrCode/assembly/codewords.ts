import { blockCount, correctionBytes, dataBytes, totalBytes, Level } from './capacity';
import { generator, remainder } from './reed-solomon';
import { BitWriter, Segment } from './segment';

/** The segment and what fills the symbol up. */
export function dataOf(segment: Segment, version: i32, level: Level): Uint8Array {
  const data = new Uint8Array(dataBytes(version, level));
  const bits = new BitWriter(data);
  segment.write(bits, version);
  // The terminator and the rest of the byte are zeros, which the array has already.
  const used = (min(bits.length + 4, data.length * 8) + 7) / 8;
  for (let at = used; at < data.length; at++) data[at] = (at - used) % 2 == 0 ? 0xec : 0x11;
  return data;
}

/** The data in blocks with their error correction, interleaved as a symbol has them. */
export function codewordsOf(data: Uint8Array, version: i32, level: Level): Uint8Array {
  const blocks = blockCount(version, level);
  const correction = correctionBytes(version, level);
  const divisor = generator(correction);
  // The last blocks are one byte longer where the data does not divide evenly.
  const shortLength = data.length / blocks;
  const shortBlocks = blocks - (data.length % blocks);
  const codewords = new Uint8Array(totalBytes(version));
  let from = 0;
  for (let block = 0; block < blocks; block++) {
    const length = block < shortBlocks ? shortLength : shortLength + 1;
    const part = data.subarray(from, from + length);
    for (let at = 0; at < length; at++) {
      const place = at < shortLength ? at * blocks + block : shortLength * blocks + block - shortBlocks;
      codewords[place] = part[at];
    }
    const rest = remainder(part, divisor);
    for (let at = 0; at < correction; at++) codewords[data.length + at * blocks + block] = rest[at];
    from += length;
  }
  return codewords;
}
