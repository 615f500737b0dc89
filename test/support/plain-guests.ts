import type { JsonValue } from '../../src/protocol/json.ts';
import type { GuestText } from './guest-wat.ts';

/** Answers with its input. */
export const ECHO: GuestText = {
  body: `(func (export "invoke") (result i32) (local $block i64) (local $size i64) (local $done i64)
    (local.set $size (call $input_length))
    (local.set $block (call $alloc (local.get $size)))
    (block $end (loop $next
      (br_if $end (i64.ge_u (local.get $done) (local.get $size)))
      (call $store_u8
        (i64.add (local.get $block) (local.get $done))
        (call $input_load_u8 (local.get $done)))
      (local.set $done (i64.add (local.get $done) (i64.const 1)))
      (br $next)))
    (call $answer (local.get $block)))`,
};

/**
 * Counts its calls in every place that an instance has: a global, its memory, its memory's size and its table's. A
 * fresh one answers with four bytes of 1.
 */
export const STATEFUL: GuestText = {
  memory: '(memory (export "memory") 0 8)',
  body: `(global $calls (mut i32) (i32.const 0))
    (table $table 0 8 funcref)
    (func (export "invoke") (result i32) (local $block i64)
      (local.set $block (call $alloc (i64.const 4)))
      (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
      (drop (memory.grow (i32.const 1)))
      (drop (table.grow $table (ref.null func) (i32.const 1)))
      (i32.store8 (i32.const 0) (i32.add (i32.load8_u (i32.const 0)) (i32.const 1)))
      (call $store_u8 (local.get $block) (global.get $calls))
      (call $store_u8 (i64.add (local.get $block) (i64.const 1)) (i32.load8_u (i32.const 0)))
      (call $store_u8 (i64.add (local.get $block) (i64.const 2)) (memory.size))
      (call $store_u8 (i64.add (local.get $block) (i64.const 3)) (table.size $table))
      (call $answer (local.get $block)))`,
};

/** Calls one host function with these texts, and answers with what it got. */
export const asksHost = (name: string, request: string, bytes?: string): GuestText => {
  const data = (at: number, text: string) => `(data (i32.const ${at}) ${JSON.stringify(text)})`;
  const block = (at: number, text: string) => `(call $block (i32.const ${at}) (i32.const ${text.length}))`;
  const second = bytes === undefined ? '' : block(1_024, bytes);
  return {
    body: `${data(0, request)} ${bytes === undefined ? '' : data(1_024, bytes)}
      (func (export "invoke") (result i32) (call $answer (call $${name} ${block(0, request)} ${second})))`,
  };
};

/** Calls a host function and answers with the bytes that came, which must be in the last block that was made before. */
export const answersWithBytesOf = (name: string, request: string, size: number): GuestText => ({
  body: `(data (i32.const 0) ${JSON.stringify(request)})
    (func (export "invoke") (result i32) (local $got i64)
      (local.set $got (call $${name} (call $block (i32.const 0) (i32.const ${request.length}))))
      ;; the JSON names the block; it is the one before its own
      (call $output_set (i64.sub (local.get $got) (i64.const 0x100000000)) (i64.const ${size}))
      (i32.const 0))`,
});

const PREFIX = '{"status":"success","data":';

/** A plugin: answers with a payload whose data is what it got for one request to a host function. */
export const answersWithHost = (name: string, request: string): GuestText => ({
  body: `(data (i32.const 0) ${JSON.stringify(PREFIX)}) (data (i32.const 100) "}") (data (i32.const 1024) ${JSON.stringify(request)})
    (global $to (mut i64) (i64.const 0))
    (func $put (param $byte i32)
      (call $store_u8 (global.get $to) (local.get $byte))
      (global.set $to (i64.add (global.get $to) (i64.const 1))))
    (func $put_own (param $at i32) (param $size i32)
      (loop $next
        (call $put (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (local.tee $size (i32.sub (local.get $size) (i32.const 1))))))
    (func (export "invoke") (result i32) (local $got i64) (local $size i64) (local $done i64) (local $out i64)
      (local.set $got (call $${name} (call $block (i32.const 1024) (i32.const ${request.length}))
        ${name === 'http_request' ? '(i64.const 0)' : ''}))
      (local.set $size (call $length (local.get $got)))
      (local.set $out (call $alloc (i64.add (local.get $size) (i64.const ${PREFIX.length + 1}))))
      (global.set $to (local.get $out))
      (call $put_own (i32.const 0) (i32.const ${PREFIX.length}))
      (loop $next
        (call $put (call $load_u8 (i64.add (local.get $got) (local.get $done))))
        (br_if $next (i64.lt_u
          (local.tee $done (i64.add (local.get $done) (i64.const 1)))
          (local.get $size))))
      (call $put_own (i32.const 100) (i32.const 1))
      (call $answer (local.get $out)))`,
});

/** A plugin: answers with this as its data, of ASCII characters. */
export const answersWith = (data: JsonValue): GuestText => {
  const payload = JSON.stringify({ status: 'success', data });
  return {
    body: `(data (i32.const 0) ${JSON.stringify(payload)})
      (func (export "invoke") (result i32) (call $answer (call $block (i32.const 0) (i32.const ${payload.length}))))`,
  };
};
