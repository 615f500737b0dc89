import type { Edit, FunctionScan } from './scan-function.ts';
import { VALUE_TYPE, type FunctionType } from './value-type.ts';
import { WasmWriter } from './wasm-writer.ts';

/** The sandbox's globals, behind the module's own. */
export type SandboxGlobals = { readonly fuel: number; readonly denied: number };

export type BodyPlan = {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly scan: FunctionScan;
  readonly type: FunctionType;
  readonly globals: SandboxGlobals;
  /** The type of a block without parameters that gives these results. */
  blockType(results: FunctionType['results']): number;
};

type Fuel = { readonly global: number; readonly local: number };

/**
 * Writes a body with its edits. A function that is charged in one place takes its fuel from the global. Any other holds
 * it in a local: loaded at the start, stored before calls and at the end, loaded again after calls.
 */
export const writeFunction = (plan: BodyPlan): WasmWriter => {
  const { scan } = plan;
  const charges = scan.edits.filter((edit) => edit.type === 'charge');
  const body = new WasmWriter(Math.ceil((plan.end - scan.code) * 1.5) + 32);
  const fuel: Fuel = { global: plan.globals.fuel, local: scan.locals };
  const added = charges.length === 0 ? 0 : 1;
  body.u32(scan.localGroups.count + added).raw(plan.bytes.subarray(scan.localGroups.start, scan.code));
  if (added === 1) body.u8(1, VALUE_TYPE.i64);
  const once = charges.length === 0 || (charges.length === 1 && !scan.loops);
  if (once) writeEdits(body, plan, (edit) => writeInGlobal(body, plan, fuel, edit));
  else {
    load(body, fuel);
    openBlock(body, plan);
    writeEdits(body, plan, (edit) => writeInLocal(body, plan, fuel, edit));
    // The body's own `end` has closed the block; a return inside became a branch to here.
    store(body, fuel);
    if (charges.some((charge) => !charge.checked)) check(body, fuel, false);
    body.u8(0x0b);
  }
  return body;
};

const writeEdits = (body: WasmWriter, { bytes, scan, end }: BodyPlan, write: (edit: Edit) => void): void => {
  let from = scan.code;
  for (const edit of scan.edits) {
    body.raw(bytes.subarray(from, edit.at));
    from = edit.until;
    write(edit);
  }
  body.raw(bytes.subarray(from, end));
};

const writeInGlobal = (body: WasmWriter, { bytes }: BodyPlan, fuel: Fuel, edit: Edit): void => {
  if (edit.type === 'charge') {
    body.u8(0x23).u32(fuel.global).u8(0x42).positive(edit.cost).u8(0x7d, 0x22).u32(fuel.local);
    body.u8(0x24).u32(fuel.global);
    check(body, fuel, false);
  } else if (edit.type === 'reference') body.u8(0xd2).u32(edit.index);
  else if (edit.type === 'call' && edit.call !== null) body.u8(0x10).u32(edit.call);
  else body.raw(bytes.subarray(edit.at, edit.until));
};

const writeInLocal = (body: WasmWriter, { bytes }: BodyPlan, fuel: Fuel, edit: Edit): void => {
  if (edit.type === 'charge') {
    body.u8(0x20).u32(fuel.local).u8(0x42).positive(edit.cost).u8(0x7d, 0x21).u32(fuel.local);
    if (edit.checked) check(body, fuel, true);
  } else if (edit.type === 'reference') body.u8(0xd2).u32(edit.index);
  else if (edit.type === 'return') body.u8(0x0c).u32(edit.depth);
  else {
    store(body, fuel);
    if (edit.call === null) body.raw(bytes.subarray(edit.at, edit.until));
    else body.u8(0x10).u32(edit.call);
    load(body, fuel);
  }
};

const load = (body: WasmWriter, fuel: Fuel): WasmWriter => body.u8(0x23).u32(fuel.global).u8(0x21).u32(fuel.local);
const store = (body: WasmWriter, fuel: Fuel): WasmWriter => body.u8(0x20).u32(fuel.local).u8(0x24).u32(fuel.global);

/** Ends the guest when the local is below zero. The host tells it from other traps by the global. */
const check = (body: WasmWriter, fuel: Fuel, storeFirst: boolean): void => {
  body.u8(0x20).u32(fuel.local).u8(0x42, 0x00, 0x53, 0x04, 0x40);
  if (storeFirst) store(body, fuel);
  body.u8(0x00, 0x0b);
};

const openBlock = (body: WasmWriter, { type, blockType }: BodyPlan): void => {
  body.u8(0x02);
  const [only, second] = type.results;
  if (only === undefined) body.u8(0x40);
  else if (second === undefined) body.u8(only);
  else body.positive(blockType(type.results));
};
