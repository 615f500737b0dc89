import { EXTISM_HTTP } from './fault-of.ts';
import { FUEL_COSTS } from './fuel-costs.ts';
import { GuestFault } from './guest-fault.ts';
import type { GuestState } from './guest-state.ts';

/** A function as Extism links it: it puts the plugin in front of what the guest gives. */
export type HostFunction = (plugin: unknown, ...values: never[]) => unknown;

/** What a variable takes beside its key and value, so that empty ones are bounded as well. */
const VARIABLE_BYTES = 256;

/** Extism's numbers for `get_log_level`: everything, and nothing at all. */
const LOG_ALL = 0;
const LOG_NOTHING = 0x7fff_ffff;

/**
 * The functions of `extism:host/env`, in place of Extism's own: with the same meaning, but every block, variable and
 * log line is bounded before it is made, every call costs fuel, and an address that is none ends the run.
 */
export const envFunctions = (state: GuestState): Record<string, HostFunction> => {
  const { blocks, fuel } = state;

  const inputOffset = (address: bigint, width: number): number => {
    const offset = Number(address);
    if (offset >= 0 && offset + width <= state.input.byteLength) return offset;
    throw new GuestFault('host-misuse', `offset ${address} is outside of the input`);
  };

  const textAt = (address: bigint, what: string): string => {
    const bytes = blocks.bytesFrom(address, what);
    fuel.charge(bytes.byteLength * FUEL_COSTS.byte);
    return new TextDecoder().decode(bytes);
  };

  const logAs = (level: string) => (_: unknown, address: bigint) => {
    const what = `the text of log_${level}`;
    const size = blocks.bytesFrom(address, what).byteLength;
    const isGranted = state.run !== null && state.run.request.refusals.log === null;
    // Looked at only when it is kept: a flood of what is dropped must be cheap.
    if (isGranted && state.log.admit(size)) {
      fuel.charge(FUEL_COSTS.hostCall);
      const request = JSON.stringify({ level: level === 'warn' ? 'warning' : level, message: textAt(address, what) });
      state.run?.channel.log({ name: 'log', request, bytes: null });
    }
    blocks.free(address);
  };

  const noHttp = () => {
    throw new GuestFault('host-misuse', EXTISM_HTTP);
  };

  return {
    alloc: (_, size: bigint) => {
      const bytes = Number(BigInt.asUintN(64, size));
      fuel.charge(FUEL_COSTS.block);
      return blocks.allocate(bytes);
    },
    free: (_, address: bigint) => blocks.free(address),
    length: (_, address: bigint) => BigInt(blocks.sizeOf(address)),
    length_unsafe: (_, address: bigint) => BigInt(blocks.sizeOf(address)),
    load_u8: (_, address: bigint) => blocks.loadByte(address),
    load_u64: (_, address: bigint) => blocks.loadWord(address),
    store_u8: (_, address: bigint, value: number) => blocks.storeByte(address, value),
    store_u64: (_, address: bigint, value: bigint) => blocks.storeWord(address, value),
    input_offset: () => state.inputAddress,
    input_length: () => BigInt(state.input.byteLength),
    input_load_u8: (_, address: bigint) => state.input.getUint8(inputOffset(address, 1)),
    input_load_u64: (_, address: bigint) => state.input.getBigUint64(inputOffset(address, 8), true),
    output_set: (_, address: bigint, length: bigint) => {
      const bytes = blocks.bytesFrom(address, 'the output');
      const limit = state.run?.request.limits.outputBytes ?? 0;
      const size = Number(BigInt.asUintN(64, length));
      if (size > bytes.byteLength) {
        throw new GuestFault('host-misuse', `an output of ${size} bytes is longer than its block`);
      }
      if (size > limit) {
        throw new GuestFault('output-too-large', `the output has ${size} bytes, and ${limit} are allowed`);
      }
      state.output = { address, length: size };
    },
    error_set: (_, address: bigint) => {
      if (address !== 0n) blocks.bytesFrom(address, 'the error');
      state.error = address;
    },
    error_get: () => state.error,
    // No plugin has a configuration of Extism's: ours is behind a permission.
    config_get: (_, address: bigint) => {
      textAt(address, 'the key of config_get');
      return 0n;
    },
    var_get: (_, address: bigint) => {
      const value = state.variables.get(textAt(address, 'the key of var_get'));
      if (value === undefined) return 0n;
      fuel.charge(FUEL_COSTS.block + value.byteLength * FUEL_COSTS.byte);
      return blocks.adopt(value.slice());
    },
    var_set: (_, address: bigint, valueAddress: bigint) => {
      const key = textAt(address, 'the key of var_set');
      if (valueAddress === 0n) {
        state.variables.delete(key);
        return;
      }
      const value = blocks.bytesFrom(valueAddress, 'the value of var_set');
      fuel.charge(FUEL_COSTS.block + value.byteLength * FUEL_COSTS.byte);
      // A variable that is replaced stays counted: nobody keeps much in an instance that ends with its call.
      blocks.take(key.length * 2 + value.byteLength + VARIABLE_BYTES);
      state.variables.set(key, value.slice());
    },
    log_trace: logAs('debug'),
    log_debug: logAs('debug'),
    log_info: logAs('info'),
    log_warn: logAs('warn'),
    log_error: logAs('error'),
    get_log_level: () => (state.run?.request.refusals.log === null ? LOG_ALL : LOG_NOTHING),
    http_request: noHttp,
    http_status_code: noHttp,
    http_headers: noHttp,
  };
};
