// The part of the QuickJS engine that the bridge calls. A value is a pointer; whoever gets one frees it.

@external("env", "wasm_malloc")
export declare function malloc(size: u32): usize;
@external("env", "wasm_free")
export declare function mfree(pointer: usize): void;
@external("env", "qjs_new_string")
export declare function newString(utf8: usize, length: u32): usize;
@external("env", "qjs_new_number")
export declare function newNumber(value: f64): usize;
@external("env", "qjs_new_uint8_array")
export declare function newUint8Array(bytes: usize, length: u32): usize;
@external("env", "qjs_get_undefined")
export declare function newUndefined(): usize;
@external("env", "qjs_get_float64")
export declare function toNumber(value: usize): f64;
@external("env", "qjs_get_string_len")
export declare function toUtf8(value: usize, length: usize): usize;
@external("env", "qjs_free_cstring")
export declare function freeUtf8(utf8: usize): void;
@external("env", "qjs_get_typed_array_buffer")
export declare function bufferOf(view: usize, offset: usize, length: usize, elementSize: usize): usize;
@external("env", "qjs_get_array_buffer")
export declare function bytesOf(buffer: usize, length: usize): usize;
@external("env", "qjs_is_undefined")
export declare function isUndefined(value: usize): i32;
@external("env", "qjs_is_exception")
export declare function isException(value: usize): i32;
@external("env", "qjs_get_exception")
export declare function takeException(): usize;
@external("env", "qjs_call")
export declare function call(callee: usize, self: usize, count: u32, args: usize): usize;
@external("env", "qjs_dup_value")
export declare function duplicate(value: usize): usize;
@external("env", "qjs_free_value")
export declare function freeValue(value: usize): void;
@external("env", "qjs_execute_pending_job")
export declare function runJob(): i32;
