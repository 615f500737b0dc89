import type { WasmReader } from './wasm-reader.ts';

/** The types that a value may have, as the binary format writes them. */
export const VALUE_TYPE = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
  funcref: 0x70,
  externref: 0x6f,
} as const;
export type ValueType = (typeof VALUE_TYPE)[keyof typeof VALUE_TYPE];

const NAMES = new Map<number, string>(Object.entries(VALUE_TYPE).map(([name, code]) => [code, name]));

export const isValueType = (code: number): code is ValueType => NAMES.has(code);

export const readValueType = (reader: WasmReader): ValueType => {
  const start = reader.at;
  const code = reader.u8();
  if (isValueType(code)) return code;
  return reader.refuse(
    `the value type 0x${code.toString(16)} is not supported; build without garbage collection, typed function references and exceptions`,
    start,
  );
};

export const readReferenceType = (reader: WasmReader): ValueType => {
  const start = reader.at;
  const type = readValueType(reader);
  if (type !== VALUE_TYPE.funcref && type !== VALUE_TYPE.externref)
    reader.refuse('this must be a reference type', start);
  return type;
};

/** What a function takes and gives. */
export type FunctionType = { readonly parameters: readonly ValueType[]; readonly results: readonly ValueType[] };

/** `(i64, i32) -> i64`, as messages and tables write it. */
export const describeFunctionType = ({ parameters, results }: FunctionType): string => {
  const list = (types: readonly ValueType[]): string => types.map((type) => NAMES.get(type)).join(', ');
  return `(${list(parameters)}) -> ${results.length === 1 ? list(results) : `(${list(results)})`}`;
};
