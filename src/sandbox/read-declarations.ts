import { importRefusalOf } from './check-import.ts';
import { ENVIRONMENT_MODULE, HOST_MODULE, isHostFunctionName } from './guest-imports.ts';
import type { Limits, ModuleShape, ReadSection } from './module-shape.ts';
import { readReferenceType, readValueType, type FunctionType, type ValueType } from './value-type.ts';
import type { WasmReader } from './wasm-reader.ts';

export const readTypes: ReadSection = (reader, { shape, rules, count }) => {
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    if (reader.u8() !== 0x60)
      reader.refuse('only function types are supported; build without garbage collection', start);
    shape.types.push({
      parameters: readValueTypes(reader, rules.parameters, 'parameters'),
      results: readValueTypes(reader, rules.results, 'results'),
    });
  }
};

const readValueTypes = (reader: WasmReader, most: number, what: string): readonly ValueType[] =>
  Array.from({ length: reader.count(most, what) }, () => readValueType(reader));

const KINDS = ['function', 'table', 'memory', 'global', 'exception tag'];

export const readImports: ReadSection = (reader, { shape, count }) => {
  for (let left = count; left > 0; left -= 1) {
    const start = reader.at;
    const module = reader.name();
    const name = reader.name();
    const kind = reader.u8();
    if (kind !== 0) {
      reader.refuse(
        `imports a ${KINDS[kind] ?? 'thing of an unknown kind'}, ${JSON.stringify(name)} from ${JSON.stringify(module)}; only functions can be imported`,
        start,
      );
    }
    const type = readTypeIndex(reader, shape);
    const refusal = importRefusalOf(module, name, shape.types[type] as FunctionType);
    if (refusal !== null) reader.refuse(refusal, start);
    if (module === HOST_MODULE && isHostFunctionName(name)) shape.hostFunctions.add(name);
    shape.imported.push({ type, allocates: module === ENVIRONMENT_MODULE && name === 'alloc' });
    shape.functions.push(type);
  }
};

export const readFunctions: ReadSection = (reader, { shape, count }) => {
  for (let left = count; left > 0; left -= 1) {
    shape.functions.push(readTypeIndex(reader, shape));
  }
};

const readTypeIndex = (reader: WasmReader, shape: ModuleShape): number => {
  const start = reader.at;
  const index = reader.u32();
  if (index >= shape.types.length) reader.refuse(`there is no type ${index}`, start);
  return index;
};

export const readTables: ReadSection = (reader, { shape, rules, count }) => {
  for (let left = count; left > 0; left -= 1) {
    const type = readReferenceType(reader);
    shape.tables.push({ type, ...readLimits(reader, rules.tableElements, 'table', 'elements') });
  }
};

export const readMemory: ReadSection = (reader, { shape, rules, count }) => {
  for (let left = count; left > 0; left -= 1) {
    shape.memory = readLimits(reader, rules.memoryPages, 'memory', 'pages');
  }
};

const readLimits = (reader: WasmReader, cap: number, what: string, unit: string): Limits => {
  const start = reader.at;
  const flags = reader.u8();
  if ((flags & 0x02) !== 0) reader.refuse(`a shared ${what} is not supported; build without threads`, start);
  if ((flags & 0x04) !== 0) reader.refuse(`a 64-bit ${what} is not supported; build for wasm32`, start);
  if (flags > 1) reader.refuse(`unknown limits of a ${what}`, start);
  const initial = reader.u32();
  const own = flags === 1 ? reader.u32() : cap;
  if (initial > cap) {
    reader.refuse(`the ${what} begins with ${initial} ${unit}, more than the ${cap} that it may have`, start);
  }
  return { initial, maximum: Math.min(own, cap) };
};
