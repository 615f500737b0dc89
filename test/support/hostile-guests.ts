import type { SandboxFault } from '../../src/ports/wasm-sandbox.ts';
import type { GuestText } from './guest-wat.ts';

export type HostileGuest = GuestText & {
  readonly name: string;
  /** How its run must end where fuel is plenty or scarce; `deadline` where only time ends it. */
  readonly ends: SandboxFault | 'deadline' | 'output';
  /** More than the usual, for what would end out of it first. */
  readonly fuel?: number;
  /** The output that it must have, if it is one. */
  readonly output?: string;
};

const invoke = (body: string) => `(func (export "invoke") (result i32) ${body} (i32.const 0))`;
const forever = (body: string) => invoke(`(loop $again ${body} (br $again))`);

/** A request of some bytes at 0 for host functions. */
const REQUEST = '(data (i32.const 0) "{\\"key\\":\\"a\\",\\"url\\":\\"http://127.0.0.1/\\",\\"message\\":\\"m\\"}")';
const request = '(call $block (i32.const 0) (i32.const 48))';

/** What somebody may try who writes a plugin to harm its host. */
export const HOSTILE_GUESTS: readonly HostileGuest[] = [
  { name: 'loops for ever', ends: 'out-of-fuel', body: forever('') },
  {
    name: 'counts for ever',
    ends: 'out-of-fuel',
    body: `(global $count (mut i64) (i64.const 0))
      ${forever('(global.set $count (i64.add (global.get $count) (i64.const 1)))')}`,
  },
  {
    name: 'grows its memory until it gets no more, and gives up',
    ends: 'out-of-memory',
    body: forever('(if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable)))'),
  },
  {
    name: 'grows its memory for ever, whatever it is answered',
    ends: 'out-of-fuel',
    body: forever('(drop (memory.grow (i32.const 1)))'),
  },
  {
    name: 'touches all the memory that it can get',
    ends: 'out-of-memory',
    body: invoke(`(loop $again
      (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then (unreachable)))
      (memory.fill (i32.const 0) (i32.const 1) (i32.mul (memory.size) (i32.const 65536)))
      (br $again))`),
  },
  {
    name: 'calls itself for ever',
    ends: 'stack-overflow',
    body: '(func $down (export "invoke") (result i32) (i32.add (call $down) (i32.const 1)))',
  },
  {
    name: 'calls itself through a table for ever',
    ends: 'stack-overflow',
    body: `(table 1 funcref) (elem (i32.const 0) $down) (type $entry (func (result i32)))
      (func $down (export "invoke") (result i32)
        (i32.add (call_indirect (type $entry) (i32.const 0)) (i32.const 1)))`,
  },
  {
    name: 'takes host blocks for ever',
    ends: 'out-of-host-memory',
    body: forever('(drop (call $alloc (i64.const 65536)))'),
  },
  {
    name: 'takes empty host blocks for ever',
    ends: 'out-of-fuel',
    body: forever('(drop (call $alloc (i64.const 0)))'),
  },
  {
    name: 'takes and frees host blocks for ever',
    ends: 'out-of-fuel',
    body: forever('(call $free (call $alloc (i64.const 1048576)))'),
  },
  {
    name: 'asks for a host block of all the memory there is',
    ends: 'out-of-fuel',
    body: invoke('(drop (call $alloc (i64.const -1)))'),
  },
  {
    name: 'sets variables for ever',
    ends: 'out-of-host-memory',
    body: forever(`(local.set $key (call $block (i32.const 0) (i32.const 4)))
      (call $var_set (local.get $key) (call $alloc (i64.const 4096)))
      (call $free (local.get $key))`).replace('(loop', '(local $key i64) (loop'),
  },
  {
    name: 'sets empty variables for ever',
    // Enough for 65,536 of them, which the host memory of the tests has room for, and not for many more.
    fuel: 500_000_000,
    ends: 'out-of-host-memory',
    body: `(global $key (mut i64) (i64.const 0)) (global $value (mut i64) (i64.const 0)) ${invoke(`
      (global.set $key (call $alloc (i64.const 4)))
      (global.set $value (call $alloc (i64.const 0)))
      (loop $again (call $var_set (global.get $key) (global.get $value)) (br $again))`)}`,
  },
  {
    name: 'returns 100 MB',
    fuel: 10_000_000_000,
    ends: 'out-of-host-memory',
    body: invoke('(drop (call $answer (call $alloc (i64.const 100000000))))'),
  },
  {
    name: 'returns more than it may, from a block that it may have',
    ends: 'output-too-large',
    body: invoke('(drop (call $answer (call $alloc (i64.const 2000000))))'),
  },
  {
    name: 'logs 100 MB through the host',
    ends: 'out-of-fuel',
    body: `${REQUEST} ${forever(`(call $free (call $log ${request}))`)}`,
  },
  {
    name: "logs 100 MB through Extism's own function",
    ends: 'out-of-fuel',
    body: forever('(call $log_info (call $alloc (i64.const 100000)))'),
  },
  {
    name: "logs empty lines for ever through Extism's own function",
    ends: 'out-of-fuel',
    body: `(global $end (mut i64) (i64.const 0)) ${invoke(`
      (global.set $end (i64.add (call $alloc (i64.const 8)) (i64.const 8)))
      (loop $again (call $log_info (global.get $end)) (br $again))`)}`,
  },
  {
    name: "logs lines of one byte for ever through Extism's own function",
    ends: 'out-of-fuel',
    body: `(global $end (mut i64) (i64.const 0)) ${invoke(`
      (global.set $end (i64.add (call $alloc (i64.const 8)) (i64.const 7)))
      (loop $again (call $log_info (global.get $end)) (br $again))`)}`,
  },
  {
    name: 'floods the host with calls',
    ends: 'out-of-fuel',
    body: `${REQUEST} ${forever(`(call $free (call $kv_get ${request}))`)}`.replaceAll(
      request,
      '(global.get $request)',
    ),
    // The request is made once: what is measured is the calls.
    memory: `(memory (export "memory") 1) (global $request (mut i64) (i64.const 0))
      (func $start (global.set $request ${request})) (start $start)`,
  },
  {
    name: 'floods the host with calls that are not granted',
    ends: 'out-of-fuel',
    body: `${REQUEST} ${forever(`(drop (call $http_request ${request} (i64.const 0)))`)}`,
  },
  {
    name: 'is told what is missing when it calls what is not granted',
    ends: 'output',
    output: '{"error":{"code":"FORBIDDEN","message":"http_request is not granted"}}',
    body: `${REQUEST} ${invoke(`(drop (call $answer (call $http_request ${request} (i64.const 0))))`)}`,
  },
  {
    name: "calls Extism's own http_request",
    ends: 'host-misuse',
    body: `${REQUEST} ${invoke(`(drop (call $extism_http_request ${request} (i64.const 0)))`)}`,
  },
  {
    name: 'holds a host call open',
    ends: 'deadline',
    body: `${REQUEST} ${invoke(`(drop (call $answer (call $resource_read ${request})))`)}`,
  },
  {
    name: 'grows a table until it gets no more, and gives up',
    ends: 'out-of-memory',
    body: `(table $table 1 funcref) ${forever(
      '(if (i32.eq (table.grow $table (ref.null func) (i32.const 100)) (i32.const -1)) (then (unreachable)))',
    )}`,
  },
  {
    name: 'grows a table by all that a number can say',
    ends: 'out-of-fuel',
    body: `(table $table 1 funcref) ${forever('(drop (table.grow $table (ref.null func) (i32.const -1)))')}`,
  },
  {
    name: 'spends its fuel in bulk fills',
    ends: 'out-of-fuel',
    body: forever('(memory.fill (i32.const 0) (i32.const 7) (i32.const 65536))'),
  },
  {
    name: 'spends its fuel in bulk copies',
    ends: 'out-of-fuel',
    body: forever('(memory.copy (i32.const 0) (i32.const 1) (i32.const 65000))'),
  },
  {
    name: 'reads its input for ever',
    ends: 'out-of-fuel',
    body: forever('(drop (call $input_load_u8 (i64.const 0)))'),
  },
  {
    name: 'reads beyond its input',
    ends: 'host-misuse',
    body: invoke('(drop (call $input_load_u64 (i64.const 1000)))'),
  },
  {
    name: 'reads its input at a negative offset',
    ends: 'host-misuse',
    body: invoke('(drop (call $input_load_u8 (i64.const -1)))'),
  },
  {
    name: 'gives garbage as the address of its output',
    ends: 'host-misuse',
    body: invoke('(call $output_set (i64.const 0x7fffffffffffffff) (i64.const 8))'),
  },
  {
    name: 'gives an output that is longer than its block',
    ends: 'host-misuse',
    body: invoke('(call $output_set (call $alloc (i64.const 8)) (i64.const 9))'),
  },
  {
    name: 'gives an output of a negative length',
    ends: 'host-misuse',
    body: invoke('(call $output_set (call $alloc (i64.const 8)) (i64.const -1))'),
  },
  {
    name: 'frees its output after it was set',
    ends: 'host-misuse',
    body: `(func (export "invoke") (result i32) (local $block i64)
      (local.set $block (call $alloc (i64.const 8)))
      (call $output_set (local.get $block) (i64.const 8))
      (call $free (local.get $block))
      (i32.const 0))`,
  },
  {
    name: 'writes behind the end of a block',
    ends: 'host-misuse',
    body: invoke('(call $store_u64 (i64.add (call $alloc (i64.const 8)) (i64.const 1)) (i64.const 1))'),
  },
  {
    name: 'writes through an address that it made up',
    ends: 'host-misuse',
    body: invoke('(call $store_u8 (i64.const 0xdeadbeef00000000) (i32.const 1))'),
  },
  {
    name: 'frees blocks that are not its own',
    ends: 'output',
    output: 'hello',
    body: `(func (export "invoke") (result i32) (local $index i64) (local $block i64)
      (loop $again
        (call $free (i64.shl (local.get $index) (i64.const 32)))
        (call $free (i64.sub (i64.const 0) (local.get $index)))
        (br_if $again (i64.lt_u (local.tee $index (i64.add (local.get $index) (i64.const 1))) (i64.const 1000))))
      (local.set $block (call $alloc (i64.const 5)))
      (local.set $index (i64.const 0))
      (loop $again
        (call $store_u8 (i64.add (local.get $block) (local.get $index)) (call $input_load_u8 (local.get $index)))
        (br_if $again (i64.lt_u (local.tee $index (i64.add (local.get $index) (i64.const 1))) (i64.const 5))))
      (call $answer (local.get $block)))`,
  },
  {
    name: 'hands a host function an address that is none',
    ends: 'host-misuse',
    body: invoke('(drop (call $kv_get (i64.const 42)))'),
  },
  {
    name: 'hands a host function bytes that are no text',
    ends: 'host-misuse',
    body: `(data (i32.const 0) "\\ff\\fe") ${invoke('(drop (call $kv_get (call $block (i32.const 0) (i32.const 2))))')}`,
  },
  {
    name: 'hands a host function a request that the host refuses as none',
    ends: 'host-misuse',
    body: invoke('(drop (call $kv_get (call $block (i32.const 0) (i32.const 2))))'),
  },
  { name: 'traps', ends: 'trap', body: invoke('(unreachable)') },
  { name: 'divides by zero', ends: 'trap', body: invoke('(drop (i32.div_u (i32.const 1) (i32.const 0)))') },
  { name: 'reads outside of its memory', ends: 'trap', body: invoke('(drop (i32.load (i32.const -8)))') },
  { name: 'fails and says nothing', ends: 'guest-error', body: '(func (export "invoke") (result i32) (i32.const 3))' },
  {
    name: 'fails with a text',
    ends: 'guest-error',
    body: `(data (i32.const 0) "no such thing")
      (func (export "invoke") (result i32)
        (call $error_set (call $block (i32.const 0) (i32.const 13))) (i32.const 1))`,
  },
  { name: 'has no entry', ends: 'missing-export', body: '(func (export "other") (result i32) (i32.const 0))' },
  { name: 'has a memory as its entry', ends: 'missing-export', memory: '(memory (export "invoke") 1)', body: '' },
  {
    name: 'has an entry that takes parameters',
    ends: 'missing-export',
    body: '(func (export "invoke") (param i32) (result i32) (i32.const 0))',
  },
  {
    name: 'loops for ever while it starts',
    ends: 'trap',
    body: `(func $start (loop $again (br $again))) (start $start) ${invoke('')}`,
  },
  {
    name: 'takes host blocks for ever while it starts',
    ends: 'out-of-host-memory',
    body: `(func $start (loop $again (drop (call $alloc (i64.const 10000))) (br $again))) (start $start) ${invoke('')}`,
  },
  {
    name: 'calls the host while it starts',
    ends: 'host-misuse',
    body: `(func $start (drop (call $kv_get (i64.const 0)))) (start $start) ${invoke('')}`,
  },
];
