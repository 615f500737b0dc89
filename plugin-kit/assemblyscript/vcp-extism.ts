// What the host offers to every guest, and the way of bytes into and out of its blocks. A plugin needs none of this.

/** An offset of a block of the host's memory; 0 is none. */
export type Block = u64;

// @ts-ignore: decorator
@external('extism:host/env', 'input_length')
declare function inputLength(): u64;
// @ts-ignore: decorator
@external('extism:host/env', 'input_load_u8')
declare function inputLoadU8(offset: u64): u32;
// @ts-ignore: decorator
@external('extism:host/env', 'input_load_u64')
declare function inputLoadU64(offset: u64): u64;
// @ts-ignore: decorator
@external('extism:host/env', 'output_set')
declare function outputSet(block: Block, length: u64): void;
// @ts-ignore: decorator
@external('extism:host/env', 'error_set')
declare function errorSet(block: Block): void;
// @ts-ignore: decorator
@external('extism:host/env', 'alloc')
declare function alloc(length: u64): Block;
// @ts-ignore: decorator
@external('extism:host/env', 'free')
declare function free(block: Block): void;
// @ts-ignore: decorator
@external('extism:host/env', 'length')
declare function lengthOf(block: Block): u64;
// @ts-ignore: decorator
@external('extism:host/env', 'load_u8')
declare function loadU8(offset: Block): u32;
// @ts-ignore: decorator
@external('extism:host/env', 'load_u64')
declare function loadU64(offset: Block): u64;
// @ts-ignore: decorator
@external('extism:host/env', 'store_u8')
declare function storeU8(offset: Block, value: u32): void;
// @ts-ignore: decorator
@external('extism:host/env', 'store_u64')
declare function storeU64(offset: Block, value: u64): void;

/** The input of this call. */
export function readInput(): Uint8Array {
  const length = <i32>inputLength();
  const bytes = new Uint8Array(length);
  const start = bytes.dataStart;
  const whole = length & ~7;
  for (let at = 0; at < whole; at += 8) store<u64>(start + at, inputLoadU64(at));
  for (let at = whole; at < length; at++) store<u8>(start + at, <u8>inputLoadU8(at));
  return bytes;
}

/** The bytes of a block, which is freed. `length` is of the whole block when it is negative. */
export function takeBlock(block: Block, length: i32 = -1): Uint8Array {
  const size = length < 0 ? <i32>lengthOf(block) : length;
  const bytes = new Uint8Array(size);
  const start = bytes.dataStart;
  const whole = size & ~7;
  for (let at = 0; at < whole; at += 8) store<u64>(start + at, loadU64(block + at));
  for (let at = whole; at < size; at++) store<u8>(start + at, <u8>loadU8(block + at));
  free(block);
  return bytes;
}

/** A block with these bytes, of exactly their length: the host takes the whole of it. */
export function blockOf(start: usize, length: i32): Block {
  const block = alloc(length);
  const whole = length & ~7;
  for (let at = 0; at < whole; at += 8) storeU64(block + at, load<u64>(start + at));
  for (let at = whole; at < length; at++) storeU8(block + at, load<u8>(start + at));
  return block;
}

export function freeBlock(block: Block): void {
  if (block != 0) free(block);
}

export function setOutput(start: usize, length: i32): void {
  outputSet(blockOf(start, length), length);
}

export function setError(start: usize, length: i32): void {
  errorSet(blockOf(start, length));
}
