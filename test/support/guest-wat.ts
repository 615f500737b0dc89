import { textToWasm } from './wasm/text-to-wasm.ts';

/** Everything that a guest may import, so that the guests of the tests need not say it again. */
const IMPORTS = `
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "free" (func $free (param i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
  (import "extism:host/env" "load_u64" (func $load_u64 (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "error_set" (func $error_set (param i64)))
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  (import "extism:host/env" "log_info" (func $log_info (param i64)))
`;

const MORE_IMPORTS = `
  (import "extism:host/env" "http_request" (func $extism_http_request (param i64 i64) (result i64)))
  (import "extism:host/user" "log" (func $log (param i64) (result i64)))
  (import "extism:host/user" "progress" (func $progress (param i64) (result i64)))
  (import "extism:host/user" "config_get" (func $config_get (param i64) (result i64)))
  (import "extism:host/user" "kv_get" (func $kv_get (param i64) (result i64)))
  (import "extism:host/user" "kv_set" (func $kv_set (param i64) (result i64)))
  (import "extism:host/user" "resource_read" (func $resource_read (param i64) (result i64)))
  (import "extism:host/user" "resource_write" (func $resource_write (param i64 i64) (result i64)))
  (import "extism:host/user" "http_request" (func $http_request (param i64 i64) (result i64)))`;

/** Functions that most guests need. */
const FUNCTIONS = `
  ;; a block with the bytes of the guest's memory from $at on
  (func $block (param $at i32) (param $size i32) (result i64)
    (local $block i64) (local $done i32)
    (local.set $block (call $alloc (i64.extend_i32_u (local.get $size))))
    (block $end (loop $next
      (br_if $end (i32.ge_u (local.get $done) (local.get $size)))
      (call $store_u8
        (i64.add (local.get $block) (i64.extend_i32_u (local.get $done)))
        (i32.load8_u (i32.add (local.get $at) (local.get $done))))
      (local.set $done (i32.add (local.get $done) (i32.const 1)))
      (br $next)))
    (local.get $block))
  ;; leaves a whole block as the output
  (func $answer (param $block i64) (result i32)
    (call $output_set (local.get $block) (call $length (local.get $block)))
    (i32.const 0))`;

export type GuestText = {
  /** Functions, tables and data, in WebAssembly's text form; `invoke` is exported by it. */
  readonly body: string;
  readonly memory?: string;
};

/** The binary form of a guest. `small`: it imports only what is Extism's, as raw Extism wants it. */
export const compileGuest = (
  { body, memory = '(memory (export "memory") 1)' }: GuestText,
  imports: 'all' | 'small' = 'all',
): Uint8Array<ArrayBuffer> =>
  textToWasm(`(module ${IMPORTS} ${imports === 'all' ? MORE_IMPORTS : ''} ${memory} ${FUNCTIONS} ${body})`);
