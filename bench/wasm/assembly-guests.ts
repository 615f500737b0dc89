import { main as compileAssembly } from 'assemblyscript/asc';

/** What Extism gives, as AssemblyScript declares it. */
const IMPORTS = `
@external("extism:host/env", "input_length") declare function input_length(): u64;
@external("extism:host/env", "input_load_u8") declare function input_load_u8(at: u64): u32;
@external("extism:host/env", "alloc") declare function alloc(size: u64): u64;
@external("extism:host/env", "store_u8") declare function store_u8(at: u64, value: u32): void;
@external("extism:host/env", "output_set") declare function output_set(at: u64, size: u64): void;
export function stop(message: string | null, file: string | null, line: u32, column: u32): void { unreachable(); }
function answer(text: string): i32 {
  const bytes = Uint8Array.wrap(String.UTF8.encode(text));
  const block = alloc(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) store_u8(block + at, bytes[at]);
  output_set(block, bytes.length);
  return 0;
}`;

/** A plugin in AssemblyScript, with its collector and strings: counts the words of its input. */
export const WORD_COUNT = `${IMPORTS}
export function invoke(): i32 {
  const bytes = new Uint8Array(input_length() as i32);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = input_load_u8(at) as u8;
  const words = String.UTF8.decode(bytes.buffer).split(" ");
  const lengths = new Map<string, i32>();
  for (let at = 0; at < words.length; at += 1) lengths.set(words[at], words[at].length);
  return answer('{"status":"success","data":{"words":' + words.length.toString() + ',"different":' + lengths.size.toString() + '}}');
}`;

/** Work without the host: calls, branches, memory, floating point and integers. */
export const COMPUTE = `${IMPORTS}
function fibonacci(n: i32): i32 { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
function sieve(size: i32): i32 {
  const marks = new StaticArray<u8>(size);
  let found = 0;
  for (let at = 2; at < size; at += 1) {
    if (unchecked(marks[at]) != 0) continue;
    found += 1;
    for (let next = at * 2; next < size; next += at) unchecked(marks[next] = 1);
  }
  return found;
}
function multiply(size: i32): f64 {
  const left = new StaticArray<f64>(size * size);
  const right = new StaticArray<f64>(size * size);
  for (let at = 0; at < size * size; at += 1) { unchecked(left[at] = at as f64); unchecked(right[at] = (at % 7) as f64); }
  let sum: f64 = 0;
  for (let row = 0; row < size; row += 1) for (let column = 0; column < size; column += 1) {
    let cell: f64 = 0;
    for (let at = 0; at < size; at += 1) cell += unchecked(left[row * size + at]) * unchecked(right[at * size + column]);
    sum += cell;
  }
  return sum;
}
function mix(rounds: i32): u32 {
  let state: u32 = 0x811c9dc5;
  for (let round = 0; round < rounds; round += 1) {
    state = (state ^ (round as u32)) * 0x01000193;
    state = rotl(state, 13) + (state >> 3);
  }
  return state;
}
export function calls(): i32 { return fibonacci(27); }
export function memory_(): i32 { return sieve(1000000); }
export function floats(): i32 { return multiply(128) as i32; }
export function integers(): i32 { return mix(3000000) as i32; }`;

/** The binary form of an AssemblyScript program, optimised as a plugin would be. */
export async function compileAssemblyScript(source: string): Promise<Uint8Array<ArrayBuffer>> {
  let binary: Uint8Array | null = null;
  let told = '';
  const { error } = await compileAssembly(
    ['guest.ts', '--outFile', 'guest.wasm', '-O3', '--use', 'abort=guest/stop', '--runtime', 'incremental'],
    {
      readFile: (name) => (name === 'guest.ts' ? source : null),
      writeFile: (name, content) => {
        if (name === 'guest.wasm') binary = content as Uint8Array;
      },
      listFiles: () => [],
      stderr: { write: (text) => void (told += text) },
    },
  );
  if (error !== null || binary === null) throw new Error(`AssemblyScript: ${error?.message ?? ''}\n${told}`);
  return new Uint8Array(binary);
}
