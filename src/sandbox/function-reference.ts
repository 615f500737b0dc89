import type { FunctionReference, ModuleShape } from './module-shape.ts';
import type { WasmReader } from './wasm-reader.ts';

/** Reads a function's index. Indexes behind the module's own functions will be those of the sandbox: none exists yet. */
export const readFunctionReference = (reader: WasmReader, shape: ModuleShape): FunctionReference => {
  const at = reader.at;
  const index = reader.u32();
  if (index >= shape.functions.length) reader.refuse(`there is no function ${index}`, at);
  return { at, until: reader.at, index };
};
