/** What follows the opcode of an instruction that is neither control flow nor a call. */
export const IMMEDIATE = {
  unknown: 0,
  none: 1,
  local: 2,
  global: 3,
  memory: 4,
  i32: 5,
  i64: 6,
  bytes4: 7,
  bytes8: 8,
  bytes16: 9,
  lane: 10,
  memoryAndLane: 11,
} as const;
type Immediate = (typeof IMMEDIATE)[keyof typeof IMMEDIATE];

const tableOf = (...ranges: readonly (readonly [first: number, last: number, immediate: Immediate])[]): Uint8Array => {
  const table = new Uint8Array(256);
  for (const [first, last, immediate] of ranges) table.fill(immediate, first, last + 1);
  return table;
};

/** Instructions of one byte. */
export const PLAIN = tableOf(
  [0x01, 0x01, IMMEDIATE.none], // nop
  [0x1a, 0x1b, IMMEDIATE.none], // drop, select
  [0x20, 0x22, IMMEDIATE.local],
  [0x23, 0x24, IMMEDIATE.global],
  [0x28, 0x3e, IMMEDIATE.memory], // loads and stores
  [0x41, 0x41, IMMEDIATE.i32],
  [0x42, 0x42, IMMEDIATE.i64],
  [0x43, 0x43, IMMEDIATE.bytes4],
  [0x44, 0x44, IMMEDIATE.bytes8],
  [0x45, 0xc4, IMMEDIATE.none], // comparison, arithmetic, conversion, sign extension
  [0xd1, 0xd1, IMMEDIATE.none], // ref.is_null
);

/** Instructions of 128-bit vectors, by the number behind 0xfd. Those from 256 on are the relaxed ones. */
export const VECTOR = tableOf(
  [0, 11, IMMEDIATE.memory],
  [12, 13, IMMEDIATE.bytes16], // constant, shuffle
  [14, 20, IMMEDIATE.none], // swizzle, splats
  [21, 34, IMMEDIATE.lane],
  [35, 83, IMMEDIATE.none],
  [84, 91, IMMEDIATE.memoryAndLane],
  [92, 93, IMMEDIATE.memory],
  [94, 153, IMMEDIATE.none],
  [155, 161, IMMEDIATE.none],
  [163, 164, IMMEDIATE.none],
  [167, 174, IMMEDIATE.none],
  [177, 177, IMMEDIATE.none],
  [181, 186, IMMEDIATE.none],
  [188, 193, IMMEDIATE.none],
  [195, 196, IMMEDIATE.none],
  [199, 206, IMMEDIATE.none],
  [209, 209, IMMEDIATE.none],
  [213, 225, IMMEDIATE.none],
  [227, 237, IMMEDIATE.none],
  [239, 255, IMMEDIATE.none],
);

/** Which proposal an opcode belongs to that is not supported, and how to build without it. */
export const unsupportedInstruction = (opcode: number): string => {
  const code = `0x${opcode.toString(16).padStart(2, '0')}`;
  if (opcode === 0xfe) return 'atomic instructions are not supported; build without threads';
  if (opcode === 0xfb) return 'garbage-collected objects are not supported; build without them';
  if (opcode === 0x12 || opcode === 0x13 || opcode === 0x15) return 'tail calls are not supported; build without them';
  if (opcode === 0x14 || (opcode >= 0xd3 && opcode <= 0xd6)) {
    return 'typed function references are not supported; build without them';
  }
  if ([0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f].includes(opcode)) {
    return 'exceptions are not supported; build without them';
  }
  if (opcode >= 0xe0 && opcode <= 0xe6) return 'stack switching is not supported; build without it';
  return `the instruction ${code} is not known`;
};
