import { BlockCharges, type Charge } from './block-charges.ts';
import { bulkOperation } from './bulk-operations.ts';
import { FUEL_COST } from './fuel-cost.ts';
import { readFunctionReference } from './function-reference.ts';
import { IMMEDIATE, PLAIN, unsupportedInstruction, VECTOR } from './immediates.ts';
import { plainCost, vectorCost } from './instruction-cost.ts';
import type { ModuleRules } from './module-rules.ts';
import type { ModuleShape } from './module-shape.ts';
import type { SandboxFunctions } from './sandbox-functions.ts';
import { skipImmediate } from './skip-immediate.ts';
import { readReferenceType, readValueType, type FunctionType, isValueType } from './value-type.ts';
import type { WasmReader } from './wasm-reader.ts';

/** What changes in a body; everything between two edits stays as it is. */
export type Edit =
  | Charge
  /** Something that may use fuel itself: a call that stays (`call` is null), or one of a function of the sandbox. */
  | { readonly type: 'call'; readonly at: number; readonly until: number; readonly call: number | null }
  | { readonly type: 'return'; readonly at: number; readonly until: number; readonly depth: number }
  | { readonly type: 'reference'; readonly at: number; readonly until: number; readonly index: number };

export type FunctionScan = {
  readonly edits: readonly Edit[];
  /** Where the instructions begin, behind the declaration of locals. */
  readonly code: number;
  /** Groups of locals that are declared; each is a count and a type. */
  readonly localGroups: { readonly count: number; readonly start: number };
  readonly locals: number;
  readonly loops: boolean;
};

/** What every body is scanned against. */
export type ScanContext = {
  readonly shape: ModuleShape;
  readonly rules: ModuleRules;
  readonly added: SandboxFunctions;
};

/**
 * Reads the instructions of one body and finds its basic blocks. A block is charged where it begins, with all that runs
 * whenever its first instruction runs and nothing traps; a call in its middle does not end it.
 */
export const scanFunction = (reader: WasmReader, context: ScanContext, index: number): FunctionScan =>
  new Scanner(reader, context, index).scan();

class Scanner {
  readonly #reader: WasmReader;
  readonly #context: ScanContext;
  readonly #type: FunctionType;
  readonly #edits: Edit[] = [];
  readonly #blocks: BlockCharges;
  #locals: number;
  readonly #localGroups: FunctionScan['localGroups'];
  readonly #code: number;

  constructor(reader: WasmReader, context: ScanContext, index: number) {
    this.#reader = reader;
    this.#context = context;
    this.#type = context.shape.types[context.shape.functions[index] as number] as FunctionType;
    this.#locals = this.#type.parameters.length;
    this.#localGroups = this.#readLocals();
    this.#code = reader.at;
    this.#blocks = new BlockCharges((charge) => this.#edits.push(charge), this.#code, this.#type.results.length);
  }

  scan(): FunctionScan {
    const blocks = this.#blocks;
    this.#cost(Math.floor((this.#locals - this.#type.parameters.length) / FUEL_COST.zeroedLocals));
    while (blocks.depth > 0) this.#instruction();
    if (this.#reader.at !== this.#reader.end) this.#reader.refuse('something stands behind the end of this function');
    const edits = this.#edits.filter((edit) => edit.type !== 'charge' || edit.cost > 0);
    return {
      edits,
      code: this.#code,
      localGroups: this.#localGroups,
      locals: this.#locals,
      loops: blocks.hasLoops,
    };
  }

  #readLocals(): FunctionScan['localGroups'] {
    const reader = this.#reader;
    const most = this.#context.rules.functionLocals;
    const count = reader.count(most, 'groups of locals', 2);
    const start = reader.at;
    for (let left = count; left > 0; left -= 1) {
      this.#locals += reader.u32();
      if (this.#locals > most) reader.refuse(`this function has more than ${most} locals; split it`);
      readValueType(reader);
    }
    return { count, start };
  }

  #cost(units: number): void {
    this.#blocks.cost(units);
  }

  #call(at: number, call: number | null, until = this.#reader.at): void {
    this.#edits.push({ type: 'call', at, until, call });
  }

  #instruction(): void {
    const reader = this.#reader;
    const at = reader.at;
    const opcode = reader.u8();
    const immediate = PLAIN[opcode] as number;
    if (immediate !== IMMEDIATE.unknown) {
      this.#cost(plainCost(opcode));
      this.#skip(immediate);
      return;
    }
    switch (opcode) {
      case 0x00:
        this.#cost(FUEL_COST.instruction);
        this.#blocks.stop();
        return;
      case 0x02:
      case 0x03:
      case 0x04:
        return this.#enter(opcode);
      case 0x05:
        if (!this.#blocks.otherwise(reader.at)) reader.refuse('this "else" has no "if"', at);
        return;
      case 0x0b:
        return this.#blocks.leave(reader.at);
      case 0x0c:
        this.#branch(reader.u32(), true);
        return this.#blocks.stop();
      case 0x0d:
        this.#branch(reader.u32(), false);
        return this.#blocks.split(reader.at);
      case 0x0e:
        return this.#branchTable();
      case 0x0f: {
        const depth = this.#blocks.depth - 1;
        this.#branch(depth, true);
        this.#edits.push({ type: 'return', at, until: reader.at, depth });
        this.#blocks.stop();
        return;
      }
      case 0x10: {
        const { index } = readFunctionReference(reader, this.#context.shape);
        this.#moves(this.#typeOf(this.#context.shape.functions[index] as number));
        return this.#call(at, this.#context.added.instead(index));
      }
      case 0x11: {
        const type = reader.u32();
        if (type >= this.#context.shape.types.length) reader.refuse(`there is no type ${type}`, at);
        this.#table();
        this.#cost(FUEL_COST.callIndirect);
        this.#moves(this.#typeOf(type));
        return this.#call(at, null);
      }
      case 0x1c: {
        if (reader.u32() !== 1) reader.refuse('this "select" must have one type', at);
        readValueType(reader);
        return this.#cost(FUEL_COST.instruction);
      }
      case 0x25:
      case 0x26:
        this.#table();
        return this.#cost(opcode === 0x25 ? FUEL_COST.reference : FUEL_COST.tableSet);
      case 0x3f:
        this.#memory();
        return this.#cost(FUEL_COST.instruction);
      case 0x40:
        this.#memory();
        this.#cost(FUEL_COST.instruction);
        return this.#call(at, this.#context.added.growMemory);
      case 0xd0:
        readReferenceType(reader);
        return this.#cost(FUEL_COST.instruction);
      case 0xd2: {
        const { index } = readFunctionReference(reader, this.#context.shape);
        this.#edits.push({ type: 'reference', at, until: reader.at, index: this.#context.added.instead(index) });
        return this.#cost(FUEL_COST.reference);
      }
      case 0xfc:
        return this.#extended(at);
      case 0xfd: {
        const vector = reader.u32();
        if (vector >= 256) reader.refuse('relaxed vector instructions differ between machines; build without them', at);
        const known = VECTOR[vector] as number;
        if (known === IMMEDIATE.unknown) reader.refuse(`the vector instruction ${vector} is not known`, at);
        this.#cost(vectorCost(vector));
        return this.#skip(known);
      }
      default:
        reader.refuse(unsupportedInstruction(opcode), at);
    }
  }

  /** Conversions that saturate, and what works on many bytes or elements at once. */
  #extended(at: number): void {
    const reader = this.#reader;
    const { added, shape } = this.#context;
    const opcode = reader.u32();
    this.#cost(FUEL_COST.instruction);
    if (opcode <= 7) return;
    const operation = bulkOperation(opcode);
    if (operation === undefined) return reader.refuse(`the instruction 0xfc ${opcode} is not known`, at);
    let table = 0;
    for (const operand of operation.operands) {
      if (operand === 'memory') this.#memory();
      else if (operand === 'table') table = this.#table();
      else {
        const size = shape.elementSegments[reader.u32()] ?? 0;
        // An engine makes the whole segment, whatever is taken of it.
        if (operation.length === 'elements') this.#cost(FUEL_COST.segmentElement * size);
      }
    }
    if (operation.length === 'grows') this.#call(at, added.growTable(table));
    else if (operation.length !== null) {
      // The length is on top of the stack: it is charged before the instruction runs.
      this.#cost(FUEL_COST.bulkSetUp);
      this.#call(at, operation.length === 'bytes' ? added.chargeBytes : added.chargeElements, at);
    }
  }

  #enter(opcode: number): void {
    const { parameters, results } = this.#blockType();
    const { nesting } = this.#context.rules;
    if (this.#blocks.depth > nesting) this.#reader.refuse(`more than ${nesting} blocks inside each other`);
    if (opcode === 0x04) this.#cost(FUEL_COST.instruction);
    if (opcode === 0x03) this.#blocks.enter('loop', parameters, this.#reader.at);
    else this.#blocks.enter(opcode === 0x02 ? 'block' : 'if', results, this.#reader.at);
  }

  #branch(depth: number, certain: boolean): void {
    this.#cost(FUEL_COST.instruction + Math.floor(this.#label(depth, certain) / FUEL_COST.movedValues));
  }

  #label(depth: number, certain: boolean): number {
    return this.#blocks.branch(depth, certain) ?? this.#reader.refuse(`there is no block ${depth} levels up`);
  }

  #branchTable(): void {
    const reader = this.#reader;
    const count = reader.count(this.#context.rules.branchTargets, 'targets of one "br_table"');
    for (let left = count; left > 0; left -= 1) this.#label(reader.u32(), false);
    // All targets carry as many values as the last, or the module is not valid.
    this.#branch(reader.u32(), false);
    this.#blocks.stop();
  }

  #skip(immediate: number): void {
    skipImmediate(this.#reader, immediate, { locals: this.#locals, globals: this.#context.shape.globals });
  }

  #typeOf(index: number): FunctionType {
    return this.#context.shape.types[index] as FunctionType;
  }

  #moves({ parameters, results }: FunctionType): void {
    this.#cost(FUEL_COST.instruction + Math.floor((parameters.length + results.length) / FUEL_COST.movedValues));
  }

  #blockType(): { parameters: number; results: number } {
    const reader = this.#reader;
    const start = reader.at;
    const code = reader.s33();
    if (code === -0x40) return { parameters: 0, results: 0 };
    if (code < 0) {
      if (reader.at - start !== 1 || !isValueType(code + 0x80))
        reader.refuse('this type of a block is not supported', start);
      return { parameters: 0, results: 1 };
    }
    const type = this.#context.shape.types[code];
    if (type === undefined) return reader.refuse(`there is no type ${code}`, start);
    return { parameters: type.parameters.length, results: type.results.length };
  }

  #table(): number {
    const start = this.#reader.at;
    const index = this.#reader.u32();
    if (index >= this.#context.shape.tables.length) this.#reader.refuse(`there is no table ${index}`, start);
    return index;
  }

  #memory(): void {
    const start = this.#reader.at;
    if (this.#reader.u8() !== 0) this.#reader.refuse('several memories are not supported', start);
    if (this.#context.shape.memory === null) this.#reader.refuse('there is no memory', start);
  }
}
