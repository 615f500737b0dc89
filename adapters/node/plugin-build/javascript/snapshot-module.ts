import { PAGE_BYTES } from '../../../../src/sandbox/page-bytes.ts';
import { ModuleReader, ModuleWriter } from './module-bytes.ts';

export type Snapshot = {
  readonly memory: Uint8Array;
  /** Below this address lies the engine's stack, which is empty between two calls. */
  readonly heapStart: number;
  /** By the name of their export. */
  readonly globals: ReadonlyMap<string, number | bigint>;
};

const SECTION = { custom: 0, import: 2, memory: 5, global: 6, export: 7, start: 8, data: 11, dataCount: 12 };
const EXPORT_GLOBAL = 3;
const TYPE = { i32: 0x7f, i64: 0x7e };
const OPCODE = { i32Const: 0x41, i64Const: 0x42, end: 0x0b };

/** Shorter runs of zeros are written out: every data segment costs bytes, and time in each new instance. */
const ZEROS_TO_SKIP = 32;

type Export = { readonly name: string; readonly kind: number; readonly index: number };

/**
 * A module that starts in the state that an instance of it was in: memory and globals are written back into it. Only the
 * exports named in `kept` stay.
 *
 * @throws Error when there is state that the snapshot has not got.
 */
export const snapshotModule = (module: Uint8Array, snapshot: Snapshot, kept: readonly string[]): Uint8Array => {
  const sections = new ModuleReader(module).sections();
  const exportSection = sections.find(({ id }) => id === SECTION.export);
  const exports = exportSection === undefined ? [] : readExports(exportSection.body);
  const writer = new ModuleWriter();
  for (const { id, body } of sections) {
    // Nothing runs at the start: it has run already. Without the count of segments no code may name one.
    if ([SECTION.custom, SECTION.start, SECTION.data, SECTION.dataCount].includes(id)) continue;
    if (id === SECTION.memory) writer.section(id, withPages(body, snapshot.memory.length / PAGE_BYTES));
    else if (id === SECTION.global) writer.section(id, withValues(body, exports, snapshot.globals));
    else if (id === SECTION.export) writer.section(id, writeExports(exports.filter(({ name }) => kept.includes(name))));
    else writer.section(id, body);
  }
  writer.section(SECTION.data, writeData(snapshot));
  return writer.finish();
};

const readExports = (body: Uint8Array): Export[] => {
  const reader = new ModuleReader(body);
  return Array.from({ length: reader.unsigned() }, () => ({
    name: reader.name(),
    kind: reader.byte(),
    index: reader.unsigned(),
  }));
};

const writeExports = (exports: readonly Export[]): Uint8Array => {
  const writer = new ModuleWriter().unsigned(exports.length);
  for (const { name, kind, index } of exports) writer.name(name).byte(kind).unsigned(index);
  return writer.bytes();
};

/** Exactly one memory, without a maximum: the sandbox gives it one. */
const withPages = (body: Uint8Array, pages: number): Uint8Array => {
  const reader = new ModuleReader(body);
  if (reader.unsigned() !== 1 || reader.byte() !== 0) throw new Error('the engine has not one plain memory');
  return new ModuleWriter().unsigned(1).byte(0).unsigned(pages).bytes();
};

const withValues = (
  body: Uint8Array,
  exports: readonly Export[],
  values: ReadonlyMap<string, number | bigint>,
): Uint8Array => {
  const reader = new ModuleReader(body);
  const count = reader.unsigned();
  const writer = new ModuleWriter().unsigned(count);
  for (let index = 0; index < count; index += 1) {
    const type = reader.byte();
    const isMutable = reader.byte() === 1;
    const initial = reader.constant();
    writer.byte(type).byte(isMutable ? 1 : 0);
    if (!isMutable) {
      writer.raw(initial);
      continue;
    }
    const name = exports.find((one) => one.kind === EXPORT_GLOBAL && one.index === index)?.name;
    const value = name === undefined ? undefined : values.get(name);
    if (value === undefined) throw new Error(`global ${index} of the engine changes and is not exported`);
    if (type !== TYPE.i32 && type !== TYPE.i64) throw new Error(`global ${index} of the engine is no integer`);
    writer
      .byte(type === TYPE.i32 ? OPCODE.i32Const : OPCODE.i64Const)
      .signed(BigInt(value))
      .byte(OPCODE.end);
  }
  return writer.bytes();
};

const writeData = ({ memory, heapStart }: Snapshot): Uint8Array => {
  const segments: { start: number; end: number }[] = [];
  for (let at = heapStart; at < memory.length; at += 1) {
    if (memory[at] === 0) continue;
    const last = segments.at(-1);
    if (last !== undefined && at - last.end < ZEROS_TO_SKIP) last.end = at + 1;
    else segments.push({ start: at, end: at + 1 });
  }
  const writer = new ModuleWriter().unsigned(segments.length);
  for (const { start, end } of segments) {
    writer
      .byte(0)
      .byte(OPCODE.i32Const)
      .signed(BigInt(start | 0))
      .byte(OPCODE.end);
    writer.unsigned(end - start).raw(memory.subarray(start, end));
  }
  return writer.bytes();
};
