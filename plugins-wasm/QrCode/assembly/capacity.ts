// ISO/IEC 18004, table 9: how the codewords of a symbol are split. Rows are levels L, M, Q, H; columns versions 1 to 40.

export enum Level {
  L,
  M,
  Q,
  H,
}

const VERSIONS = 40;

const CORRECTION_BYTES: StaticArray<u8> = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26,
  26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 13, 22, 18, 26, 18, 24, 18, 22,
  20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  30, 30, 30, 17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];

const BLOCKS: StaticArray<u8> = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19,
  20, 21, 22, 24, 25, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26,
  28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49, 1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
  23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68, 1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11,
  16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
];

/** Bytes of error correction that each block of a symbol has. */
export function correctionBytes(version: i32, level: Level): i32 {
  return CORRECTION_BYTES[<i32>level * VERSIONS + version - 1];
}

export function blockCount(version: i32, level: Level): i32 {
  return BLOCKS[<i32>level * VERSIONS + version - 1];
}

/** Whole bytes that a symbol holds, those of error correction included: the modules that are no pattern, by 8. */
export function totalBytes(version: i32): i32 {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const alignments = version / 7 + 2;
    modules -= (25 * alignments - 10) * alignments - 55;
    if (version >= 7) modules -= 36;
  }
  return modules / 8;
}

export function dataBytes(version: i32, level: Level): i32 {
  return totalBytes(version) - correctionBytes(version, level) * blockCount(version, level);
}
