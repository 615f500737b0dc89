import { HOST_FUNCTIONS, type HostFunctionName } from '../ports/wasm-sandbox.ts';
import { VALUE_TYPE, type FunctionType } from './value-type.ts';

/** Where Extism's own functions are: memory blocks shared with the host, input, output, log. */
export const ENVIRONMENT_MODULE = 'extism:host/env';
/** Where ours are. */
export const HOST_MODULE = 'extism:host/user';

const { i32, i64 } = VALUE_TYPE;
const from = (...parameters: FunctionType['parameters']) => ({
  to: (...results: FunctionType['results']): FunctionType => ({ parameters, results }),
});

/**
 * What a guest may import from `extism:host/env`. Variables, configuration and HTTP are here because every plugin kit
 * of Extism imports them, used or not. `error_get` is not: no kit needs it.
 */
export const ENVIRONMENT_FUNCTIONS = {
  alloc: from(i64).to(i64),
  free: from(i64).to(),
  length: from(i64).to(i64),
  length_unsafe: from(i64).to(i64),
  load_u8: from(i64).to(i32),
  load_u64: from(i64).to(i64),
  store_u8: from(i64, i32).to(),
  store_u64: from(i64, i64).to(),
  input_offset: from().to(i64),
  input_length: from().to(i64),
  input_load_u8: from(i64).to(i32),
  input_load_u64: from(i64).to(i64),
  output_set: from(i64, i64).to(),
  error_set: from(i64).to(),
  log_trace: from(i64).to(),
  log_debug: from(i64).to(),
  log_info: from(i64).to(),
  log_warn: from(i64).to(),
  log_error: from(i64).to(),
  get_log_level: from().to(i32),
  config_get: from(i64).to(i64),
  var_get: from(i64).to(i64),
  var_set: from(i64, i64).to(),
  http_request: from(i64, i64).to(i64),
  http_status_code: from().to(i32),
  http_headers: from().to(i64),
} as const satisfies Record<string, FunctionType>;
export type EnvironmentFunctionName = keyof typeof ENVIRONMENT_FUNCTIONS;

const request = from(i64).to(i64);
const requestWithBytes = from(i64, i64).to(i64);

/** The types of our own functions. Every argument and every result is the offset of a block. */
export const HOST_FUNCTION_TYPES = {
  resource_write: requestWithBytes,
  resource_read: request,
  progress: request,
  log: request,
  config_get: request,
  kv_get: request,
  kv_set: request,
  http_request: requestWithBytes,
} as const satisfies Record<HostFunctionName, FunctionType>;

export const isHostFunctionName = (name: string): name is HostFunctionName =>
  (HOST_FUNCTIONS as readonly string[]).includes(name);
