import type { FunctionReference, ModuleShape } from './module-shape.ts';
import type { WasmReader } from './wasm-reader.ts';

/** Reads a function's index. Indexes behind the module's own functions will be those of the sandbox: none exists yet. */
export const readFunctionReference = (reader: WasmReader, shape: ModuleShape): FunctionReference => {
  const at = reader.at;
  const index = reader.u32();
  if (index >= shape.functions.length) reader.refuse(`there is no function ${index}`, at);
  return { at, until: reader.at, index };
};

/** Reads an index outside of the code, and notes it when it is going to change: there may be very many that are not. */
export const noteFunctionReference = (
  reader: WasmReader,
  shape: ModuleShape,
  references: FunctionReference[],
): void => {
  const reference = readFunctionReference(reader, shape);
  if (reference.index < shape.imported.length) references.push(reference);
};
