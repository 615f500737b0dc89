// Between the engine and the sandbox: what JavaScript calls by `host(name, …)` ends here, and what the sandbox calls,
// `invoke`, begins here. This file is AssemblyScript; scripts/build-javascript-engine.ts merges it with the engine.
import { blockLength, freeBlock, inputLength, readBlock, readInput, setError, setOutput, toBlock } from './extism';
import { callHostFunction } from './host-functions';
import * as js from './quickjs';

@external("wasi_snapshot_preview1", "set_now")
declare function set_now(milliseconds: f64): void;

/** Functions of the plugin's run time, given by `serve` while the plugin is built. */
export let run: usize = 0;
export let finish: usize = 0;

/** Where the engine writes lengths and offsets to. */
export let scratch: usize = 0;

/** What `invoke` answers: 1 once an error was set. */
export let failed: i32 = 0;

/** Names of native functions are one letter, so that the first byte tells them apart. */
export function host_call(name: usize, nameLength: u32, self: usize, count: u32, args: usize): usize {
  switch (load<u8>(name)) {
    case 0x63 /* c */: return callHost(argument(args, 0), argument(args, 1), argument(args, 2));
    case 0x62 /* b */: return takeBytes(argument(args, 0));
    case 0x69 /* i */: return input();
    case 0x6f /* o */: return output(argument(args, 0));
    case 0x65 /* e */: return error(argument(args, 0));
    case 0x6e /* n */: return setNow(argument(args, 0));
    case 0x64 /* d */: return decode(argument(args, 0));
    case 0x75 /* u */: return encode(argument(args, 0));
    case 0x73 /* s */: return serve(argument(args, 0), argument(args, 1));
    default: unreachable();
  }
  return 0;
}

/** To be called once, before the first line of JavaScript. */
export function set_up(): void {
  scratch = js.malloc(16);
}

/** No interruption: the sandbox counts the fuel and keeps the deadline. */
export function host_interrupt(): i32 {
  return 0;
}

/** The sandbox has no table of time zones; local time is UTC. */
export function host_get_timezone_offset(high: i32, low: i32): i32 {
  return 0;
}

export function host_promise_rejection(promise: usize, reason: usize, isHandled: i32): void {
  js.freeValue(promise);
  js.freeValue(reason);
}

/** Everything was bundled, so there is no module to find. */
export function host_module_normalize(base: usize, name: usize): usize {
  return 0;
}

export function host_module_load(name: usize, length: usize): usize {
  return 0;
}

/** One call: 0 when there is an output, 1 when there is an error, a trap when not even that can be said. */
export function invoke(): i32 {
  callFunction(run);
  while (js.runJob() > 0) {}
  callFunction(finish);
  return failed;
}

function callFunction(callee: usize): void {
  const self = js.newUndefined();
  const result = js.call(callee, self, 0, 0);
  // Both functions catch what a plugin throws. What comes here cannot be caught: the memory is full.
  if (js.isException(result)) unreachable();
  js.freeValue(result);
  js.freeValue(self);
}

function argument(args: usize, index: u32): usize {
  return load<usize>(args + index * 4);
}

/** host('c', which, request, bytes?): the answer's JSON. */
function callHost(which: usize, request: usize, bytes: usize): usize {
  const text = js.toUtf8(request, scratch);
  if (text == 0) return 0;
  const block = toBlock(text, load<u32>(scratch));
  js.freeUtf8(text);
  const body = js.isUndefined(bytes) ? 0 : viewToBlock(bytes);
  const answer = callHostFunction(<i32>js.toNumber(which), block, body);
  freeBlock(block);
  freeBlock(body);
  const length = blockLength(answer);
  const copy = js.malloc(length + 1);
  if (copy == 0) unreachable();
  readBlock(answer, copy, length);
  freeBlock(answer);
  const value = js.newString(copy, length);
  js.mfree(copy);
  return value;
}

/** host('b', block): the bytes of a block that came with an answer; the block is gone then. */
function takeBytes(offset: usize): usize {
  const block = <i64>js.toNumber(offset);
  const length = blockLength(block);
  const copy = js.malloc(length + 1);
  if (copy == 0) unreachable();
  readBlock(block, copy, length);
  freeBlock(block);
  const value = js.newUint8Array(copy, length);
  js.mfree(copy);
  return value;
}

function viewToBlock(view: usize): i64 {
  const at = viewBytes(view);
  return toBlock(at, load<u32>(scratch + 4));
}

/** Where a Uint8Array's bytes lie; their number is at scratch + 4. */
function viewBytes(view: usize): usize {
  const buffer = js.bufferOf(view, scratch, scratch + 4, scratch + 8);
  if (js.isException(buffer)) unreachable(); // runtime/native.ts hands over Uint8Arrays only
  const at = js.bytesOf(buffer, scratch + 12) + load<u32>(scratch);
  js.freeValue(buffer);
  return at;
}

function input(): usize {
  const length = inputLength();
  const copy = js.malloc(length + 1);
  if (copy == 0) unreachable();
  readInput(copy, length);
  const value = js.newString(copy, length);
  js.mfree(copy);
  return value;
}

function output(text: usize): usize {
  const utf8 = js.toUtf8(text, scratch);
  if (utf8 == 0) return 0;
  setOutput(utf8, load<u32>(scratch));
  js.freeUtf8(utf8);
  return js.newUndefined();
}

function error(text: usize): usize {
  const utf8 = js.toUtf8(text, scratch);
  if (utf8 == 0) return 0;
  setError(utf8, load<u32>(scratch));
  js.freeUtf8(utf8);
  failed = 1;
  return js.newUndefined();
}

function setNow(milliseconds: usize): usize {
  set_now(js.toNumber(milliseconds));
  return js.newUndefined();
}

/** UTF-8 to text. */
function decode(view: usize): usize {
  const at = viewBytes(view);
  return js.newString(at, load<u32>(scratch + 4));
}

/** Text to UTF-8. */
function encode(text: usize): usize {
  const utf8 = js.toUtf8(text, scratch);
  if (utf8 == 0) return 0;
  const value = js.newUint8Array(utf8, load<u32>(scratch));
  js.freeUtf8(utf8);
  return value;
}

/** What `invoke` calls from now on. */
function serve(runFunction: usize, finishFunction: usize): usize {
  run = js.duplicate(runFunction);
  finish = js.duplicate(finishFunction);
  return js.newUndefined();
}
