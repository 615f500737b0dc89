import { IMMEDIATE } from './immediates.ts';
import type { WasmReader } from './wasm-reader.ts';

/** Steps over what follows an opcode, and refuses an index beyond what the module declares. */
export const skipImmediate = (
  reader: WasmReader,
  immediate: number,
  known: { readonly locals: number; readonly globals: number },
): void => {
  const start = reader.at;
  switch (immediate) {
    case IMMEDIATE.none:
      return;
    case IMMEDIATE.local:
      if (reader.u32() >= known.locals) reader.refuse('there is no such local', start);
      return;
    case IMMEDIATE.global:
      // The sandbox's own globals will stand behind the last one: nothing may name them.
      if (reader.u32() >= known.globals) reader.refuse('there is no such global', start);
      return;
    case IMMEDIATE.memory:
    case IMMEDIATE.memoryAndLane:
      if (reader.u32() >= 0x40) reader.refuse('several memories are not supported', start);
      reader.u32();
      if (immediate === IMMEDIATE.memoryAndLane) reader.skip(1);
      return;
    case IMMEDIATE.i32:
      return reader.skipSigned(32);
    case IMMEDIATE.i64:
      return reader.skipSigned(64);
    case IMMEDIATE.bytes4:
      return reader.skip(4);
    case IMMEDIATE.bytes8:
      return reader.skip(8);
    case IMMEDIATE.bytes16:
      return reader.skip(16);
    case IMMEDIATE.lane:
      return reader.skip(1);
    default:
      throw new Error(`immediate ${immediate}`);
  }
};
