import createWabt from 'wabt';

const wabt = await createWabt();
const features = {
  multi_value: true,
  bulk_memory: true,
  reference_types: true,
  simd: true,
  sat_float_to_int: true,
  sign_extension: true,
  mutable_globals: true,
  extended_const: true,
};

/** WebAssembly text to bytes. Names become a name section. */
export const textToWasm = (text: string): Uint8Array<ArrayBuffer> => {
  const module = wabt.parseWat('test.wat', text, features);
  try {
    return new Uint8Array(module.toBinary({ write_debug_names: true }).buffer);
  } finally {
    module.destroy();
  }
};

/** The other way round, one instruction on each line. */
export const wasmToText = (bytes: Uint8Array): string => {
  const module = wabt.readWasm(bytes, features);
  try {
    return module.toText({ foldExprs: false, inlineExport: false });
  } finally {
    module.destroy();
  }
};
