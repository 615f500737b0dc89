import { FUEL_COST } from './fuel-cost.ts';
import type { ModuleShape } from './module-shape.ts';
import { VALUE_TYPE, type FunctionType } from './value-type.ts';
import { WasmWriter } from './wasm-writer.ts';
import type { SandboxGlobals } from './write-function.ts';

const { i32 } = VALUE_TYPE;

export type AddedFunction = { readonly type: number; readonly body: WasmWriter };

/** The functions that are added, in the order of `sandboxFunctionsOf`. `typeOf` gives a type's index, new or not. */
export const writeSandboxFunctions = (
  shape: ModuleShape,
  globals: SandboxGlobals,
  typeOf: (type: FunctionType) => number,
): readonly AddedFunction[] => {
  const sized = typeOf({ parameters: [i32], results: [i32] });
  return [
    ...shape.imported.map(({ type, allocates }, index) => ({
      type,
      body: hostCall(globals, index, (shape.types[type] as FunctionType).parameters.length, allocates),
    })),
    { type: sized, body: chargeLength(globals, (body) => body.u8(0x42).positive(FUEL_COST.bytesShift).u8(0x88)) },
    { type: sized, body: chargeLength(globals, (body) => body.u8(0x42).positive(FUEL_COST.element).u8(0x7e)) },
    { type: sized, body: growMemory(shape, globals) },
    ...shape.tables.map(({ type }, index) => ({
      type: typeOf({ parameters: [type, i32], results: [i32] }),
      body: growTable(globals, index),
    })),
  ];
};

const begin = (globals: SandboxGlobals): WasmWriter => new WasmWriter(64).u8(0x00).u8(0x23).u32(globals.fuel);

/** Stores what is on the stack as the fuel, and ends the guest when that is below zero. */
const storeAndCheck = (body: WasmWriter, { fuel }: SandboxGlobals): WasmWriter =>
  body.u8(0x24).u32(fuel).u8(0x23).u32(fuel).u8(0x42, 0x00, 0x53, 0x04, 0x40, 0x00, 0x0b);

const take = (body: WasmWriter, units: number): WasmWriter => body.u8(0x42).positive(units).u8(0x7d);

/** Takes the price of a host call, and for a block also that of its length, then calls. */
const hostCall = (globals: SandboxGlobals, index: number, parameters: number, allocates: boolean): WasmWriter => {
  const body = take(begin(globals), FUEL_COST.hostCall);
  // Divided, a length of 64 bits is never so large that what it takes would become fuel.
  if (allocates) body.u8(0x20, 0x00, 0x42).positive(FUEL_COST.bytesShift).u8(0x88, 0x7d);
  storeAndCheck(body, globals);
  for (let parameter = 0; parameter < parameters; parameter += 1) body.u8(0x20).u32(parameter);
  return body.u8(0x10).u32(index).u8(0x0b);
};

/** Takes the price of a length, and gives the length back. Lengths are unsigned: none of them adds fuel. */
const chargeLength = (globals: SandboxGlobals, price: (body: WasmWriter) => WasmWriter): WasmWriter =>
  storeAndCheck(price(begin(globals).u8(0x20, 0x00, 0xad)).u8(0x7d), globals).u8(0x20, 0x00, 0x0b);

/** Notes for the host that the cap refused to let something grow: local `result` is -1 then. */
const noteDenial = (body: WasmWriter, result: number, { denied }: SandboxGlobals): WasmWriter =>
  body.u8(0x20).u32(result).u8(0x41, 0x7f, 0x46, 0x04, 0x40, 0x41, 0x01, 0x24).u32(denied).u8(0x05);

/** What was added is paid for after it was granted: a request that is refused is cheap, and the cap bounds the rest. */
const growMemory = ({ memory }: ModuleShape, globals: SandboxGlobals): WasmWriter => {
  if (memory === null) return new WasmWriter(4).u8(0x00, 0x41, 0x7f, 0x0b);
  const body = new WasmWriter(64).u8(0x01, 0x01, i32, 0x23).u32(globals.fuel);
  storeAndCheck(take(body, FUEL_COST.growSetUp), globals).u8(0x20, 0x00, 0x40, 0x00, 0x21, 0x01);
  noteDenial(body, 1, globals).u8(0x23).u32(globals.fuel);
  body.u8(0x20, 0x00, 0xad, 0x42).positive(FUEL_COST.page).u8(0x7e, 0x7d);
  return storeAndCheck(body, globals).u8(0x0b, 0x20, 0x01, 0x0b);
};

const growTable = (globals: SandboxGlobals, table: number): WasmWriter => {
  const body = new WasmWriter(64).u8(0x01, 0x01, i32, 0x23).u32(globals.fuel);
  storeAndCheck(take(body, FUEL_COST.growSetUp), globals);
  body.u8(0x20, 0x00, 0x20, 0x01, 0xfc).u32(15).u32(table).u8(0x21, 0x02);
  noteDenial(body, 2, globals).u8(0x23).u32(globals.fuel);
  body.u8(0x20, 0x01, 0xad, 0x42).positive(FUEL_COST.element).u8(0x7e, 0x7d);
  return storeAndCheck(body, globals).u8(0x0b, 0x20, 0x02, 0x0b);
};
