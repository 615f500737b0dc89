import type { ModuleRules } from './module-rules.ts';
import type { ParsedModule } from './read-module.ts';
import type { SectionPart } from './module-shape.ts';
import { DENIED_EXPORT, FUEL_EXPORT, MEMORY_EXPORT } from './sandbox-exports.ts';
import { sandboxFunctionsOf } from './sandbox-functions.ts';
import { scanFunction } from './scan-function.ts';
import { SECTION } from './sections.ts';
import { describeFunctionType, type FunctionType, VALUE_TYPE } from './value-type.ts';
import type { WasmReader } from './wasm-reader.ts';
import { WasmWriter } from './wasm-writer.ts';
import { writeFunction, type SandboxGlobals } from './write-function.ts';
import { writeSandboxFunctions } from './write-sandbox-functions.ts';

/** Writes the module again, with what the sandbox adds behind what each list holds, so that no index changes. */
export const writeModule = (reader: WasmReader, parsed: ParsedModule, rules: ModuleRules): Uint8Array<ArrayBuffer> => {
  const { shape, parts } = parsed;
  const { bytes } = reader;
  const added = sandboxFunctionsOf(shape);
  const globals: SandboxGlobals = { fuel: shape.globals, denied: shape.globals + 1 };
  const types = createTypeList(shape.types);

  const code = new WasmWriter(bytes.length);
  for (const [position, body] of shape.bodies.entries()) {
    const index = shape.imported.length + position;
    reader.place = `function ${index}`;
    reader.at = body.start;
    reader.end = body.end;
    const scan = scanFunction(reader, { shape, rules, added }, index);
    const type = shape.types[shape.functions[index] as number] as FunctionType;
    const blockType = (results: FunctionType['results']): number => types.indexOf({ parameters: [], results });
    code.sized(writeFunction({ bytes, end: body.end, scan, type, globals, blockType }));
  }
  const ours = writeSandboxFunctions(shape, globals, types.indexOf);
  for (const { body } of ours) code.sized(body);

  const output = new WasmWriter(bytes.length * 2);
  output.u8(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
  const list = (id: number, addedCount: number, extra: WasmWriter): void => {
    const part = parts.get(id) ?? { count: 0, start: 0, end: 0, references: [] };
    if (part.count + addedCount === 0) return;
    const content = new WasmWriter(part.end - part.start + extra.length + 8).u32(part.count + addedCount);
    copyPart(content, bytes, part, added.instead);
    output.section(id, content.raw(extra.bytes()));
  };
  const none = new WasmWriter(0);

  const extraTypes = new WasmWriter();
  for (const { parameters, results } of types.added) {
    extraTypes
      .u8(0x60)
      .u32(parameters.length)
      .u8(...parameters)
      .u32(results.length)
      .u8(...results);
  }
  list(SECTION.types, types.added.length, extraTypes);
  list(SECTION.imports, 0, none);
  const extraFunctions = new WasmWriter();
  for (const { type } of ours) extraFunctions.u32(type);
  list(SECTION.functions, ours.length, extraFunctions);
  if (shape.tables.length > 0) {
    const tables = new WasmWriter().u32(shape.tables.length);
    for (const { type, initial, maximum } of shape.tables) tables.u8(type, 0x01).u32(initial).u32(maximum);
    output.section(SECTION.tables, tables);
  }
  if (shape.memory !== null) {
    output.section(SECTION.memory, new WasmWriter().u8(0x01, 0x01).u32(shape.memory.initial).u32(shape.memory.maximum));
  }
  const extraGlobals = new WasmWriter().u8(VALUE_TYPE.i64, 0x01, 0x42).positive(rules.startFuel).u8(0x0b);
  list(SECTION.globals, 2, extraGlobals.u8(VALUE_TYPE.i32, 0x01, 0x41, 0x00, 0x0b));
  const extraExports = new WasmWriter().name(FUEL_EXPORT).u8(0x03).u32(globals.fuel);
  extraExports.name(DENIED_EXPORT).u8(0x03).u32(globals.denied);
  if (shape.memory !== null) extraExports.name(MEMORY_EXPORT).u8(0x02, 0x00);
  list(SECTION.exports, shape.memory === null ? 2 : 3, extraExports);
  if (shape.start !== null) output.section(SECTION.start, new WasmWriter().u32(added.instead(shape.start)));
  list(SECTION.elements, 0, none);
  if (shape.dataCount !== null) output.section(SECTION.dataCount, new WasmWriter().u32(shape.dataCount));
  output.section(
    SECTION.code,
    new WasmWriter(code.length + 8).u32(shape.bodies.length + ours.length).raw(code.bytes()),
  );
  list(SECTION.data, 0, none);
  const { names } = parsed;
  if (names !== null) {
    output.section(SECTION.custom, new WasmWriter(names.end - names.start).raw(bytes.subarray(names.start, names.end)));
  }
  return output.bytes().slice();
};

/** Entries as they were, but for the functions that they name. */
const copyPart = (
  content: WasmWriter,
  bytes: Uint8Array,
  part: SectionPart,
  instead: (index: number) => number,
): void => {
  let from = part.start;
  for (const { at, until, index } of part.references) {
    const other = instead(index);
    if (other === index) continue;
    content.raw(bytes.subarray(from, at)).u32(other);
    from = until;
  }
  content.raw(bytes.subarray(from, part.end));
};

/** The module's types and the ones that are added; a type that is there is used again. */
const createTypeList = (types: readonly FunctionType[]) => {
  const known = new Map<string, number>();
  for (const [index, type] of types.entries()) known.set(describeFunctionType(type), index);
  const added: FunctionType[] = [];
  return {
    added,
    indexOf: (type: FunctionType): number => {
      const key = describeFunctionType(type);
      let index = known.get(key);
      if (index === undefined) {
        index = types.length + added.length;
        added.push(type);
        known.set(key, index);
      }
      return index;
    },
  };
};
