// What the host gives every guest: blocks of memory that both sides can reach, and the input and output of the call.

@external("extism:host/env", "input_length")
declare function input_length(): i64;
@external("extism:host/env", "input_load_u8")
declare function input_load_u8(at: i64): i32;
@external("extism:host/env", "input_load_u64")
declare function input_load_u64(at: i64): i64;
@external("extism:host/env", "output_set")
declare function output_set(block: i64, length: i64): void;
@external("extism:host/env", "error_set")
declare function error_set(block: i64): void;
@external("extism:host/env", "alloc")
declare function alloc(length: i64): i64;
@external("extism:host/env", "free")
declare function free(block: i64): void;
@external("extism:host/env", "length")
declare function length(block: i64): i64;
@external("extism:host/env", "load_u8")
declare function load_u8(at: i64): i32;
@external("extism:host/env", "load_u64")
declare function load_u64(at: i64): i64;
@external("extism:host/env", "store_u8")
declare function store_u8(at: i64, byte: i32): void;
@external("extism:host/env", "store_u64")
declare function store_u64(at: i64, bytes: i64): void;

export function inputLength(): u32 {
  return <u32>input_length();
}

/** Eight bytes at a time: every one of these is a call of the host. */
export function readInput(to: usize, count: u32): void {
  let at: u32 = 0;
  for (; at + 8 <= count; at += 8) store<i64>(to + at, input_load_u64(at));
  for (; at < count; at += 1) store<u8>(to + at, <u8>input_load_u8(at));
}

export function blockLength(block: i64): u32 {
  return <u32>length(block);
}

export function readBlock(block: i64, to: usize, count: u32): void {
  let at: u32 = 0;
  for (; at + 8 <= count; at += 8) store<i64>(to + at, load_u64(block + at));
  for (; at < count; at += 1) store<u8>(to + at, <u8>load_u8(block + at));
}

/** A new block with these bytes. */
export function toBlock(from: usize, count: u32): i64 {
  const block = alloc(count);
  let at: u32 = 0;
  for (; at + 8 <= count; at += 8) store_u64(block + at, load<i64>(from + at));
  for (; at < count; at += 1) store_u8(block + at, load<u8>(from + at));
  return block;
}

export function freeBlock(block: i64): void {
  if (block != 0) free(block);
}

export function setOutput(from: usize, count: u32): void {
  output_set(toBlock(from, count), count);
}

export function setError(from: usize, count: u32): void {
  error_set(toBlock(from, count));
}
