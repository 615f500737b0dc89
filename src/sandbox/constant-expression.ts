import { noteFunctionReference } from './function-reference.ts';
import type { FunctionReference, ModuleShape } from './module-shape.ts';
import { readReferenceType } from './value-type.ts';
import type { WasmReader } from './wasm-reader.ts';

/** Reads the expression that a global, an offset or an element begins with, extended constants included. */
export const readConstantExpression = (
  reader: WasmReader,
  shape: ModuleShape,
  references: FunctionReference[],
): void => {
  for (;;) {
    const start = reader.at;
    const opcode = reader.u8();
    if (opcode === 0x0b) return;
    if (opcode === 0x41) reader.skipSigned(32);
    else if (opcode === 0x42) reader.skipSigned(64);
    else if (opcode === 0x43) reader.skip(4);
    else if (opcode === 0x44) reader.skip(8);
    else if (opcode === 0xd0) readReferenceType(reader);
    else if (opcode === 0xd2) noteFunctionReference(reader, shape, references);
    else if (opcode === 0x23) {
      const index = reader.u32();
      if (index >= shape.globals) reader.refuse(`there is no global ${index} here`, start);
    } else if (opcode === 0xfd) {
      if (reader.u32() !== 12) reader.refuse('this instruction cannot stand in a constant expression', start);
      reader.skip(16);
    } else if (!EXTENDED.has(opcode)) {
      reader.refuse(`the instruction 0x${opcode.toString(16)} cannot stand in a constant expression`, start);
    }
  }
};

/** Addition, subtraction and multiplication, of both integer types. */
const EXTENDED = new Set([0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e]);
