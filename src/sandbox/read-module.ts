import type { ModuleRules } from './module-rules.ts';
import { createModuleShape, type FunctionReference, type ModuleShape, type SectionPart } from './module-shape.ts';
import { readStart } from './read-definitions.ts';
import { LISTS, SECTION, SECTION_ORDER } from './sections.ts';
import type { WasmReader } from './wasm-reader.ts';

/** A module taken apart; the bodies of its functions are still to be read. */
export type ParsedModule = {
  readonly shape: ModuleShape;
  /** The sections that are lists. */
  readonly parts: ReadonlyMap<number, SectionPart>;
  /** Where the `name` section is, with its own name; null without one. It makes messages about traps readable. */
  readonly names: { readonly start: number; readonly end: number } | null;
};

/** Reads everything but the instructions, and refuses what the rules or the sandbox do not allow. */
export const readModule = (reader: WasmReader, rules: ModuleRules): ParsedModule => {
  const whole = reader.bytes.length;
  readHeader(reader, rules);
  const shape = createModuleShape();
  const parts = new Map<number, SectionPart>();
  let names: ParsedModule['names'] = null;
  let rank = -1;
  while (reader.at < whole) {
    reader.place = 'the module';
    reader.end = whole;
    const start = reader.at;
    const id = reader.u8();
    const size = reader.u32();
    const first = reader.at;
    if (size > whole - first) reader.refuse('this section is longer than the file, which is cut off or damaged', start);
    reader.end = first + size;
    if (id === SECTION.custom) {
      if (reader.name() === 'name') names = { start: first, end: reader.end };
      reader.at = reader.end;
      continue;
    }
    if (id === SECTION.tags) reader.refuse('exceptions are not supported; build without them', start);
    const nextRank = SECTION_ORDER.indexOf(id);
    if (nextRank === -1) reader.refuse(`section ${id} is not known`, start);
    if (nextRank <= rank) reader.refuse(`section ${id} stands twice or too late`, start);
    rank = nextRank;
    reader.place = `section ${id} (${LISTS.get(id)?.entries ?? (id === SECTION.start ? 'start' : 'data count')})`;
    const part = readSection(reader, id, shape, rules);
    if (part !== null) parts.set(id, part);
    if (reader.at !== reader.end) reader.refuse('something is left over at the end of this section');
  }
  reader.place = 'the module';
  reader.end = whole;
  if (shape.bodies.length !== shape.functions.length - shape.imported.length) {
    reader.refuse('there are not as many bodies as functions; the file is damaged');
  }
  return { shape, parts, names };
};

const readSection = (reader: WasmReader, id: number, shape: ModuleShape, rules: ModuleRules): SectionPart | null => {
  const references: FunctionReference[] = [];
  const kind = LISTS.get(id);
  if (kind !== undefined) {
    const count = reader.count(kind.most(rules), kind.entries, kind.least);
    const start = reader.at;
    kind.read(reader, { shape, rules, count, references });
    return { count, start, end: reader.end, references };
  }
  if (id === SECTION.start) readStart(reader, { shape, rules, count: 1, references });
  else shape.dataCount = reader.u32();
  return null;
};

const readHeader = (reader: WasmReader, rules: ModuleRules): void => {
  const size = reader.bytes.length;
  if (size > rules.moduleBytes) reader.refuse(`it has ${size} bytes; at most ${rules.moduleBytes} are accepted`);
  const header = Array.from(reader.bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (header.slice(0, 8) !== '0061736d') reader.refuse('this is no WebAssembly: it does not begin with "\\0asm"');
  if (header.slice(8) === '0d000100') reader.refuse('this is a component; build a core module');
  if (header.slice(8) !== '01000000') reader.refuse('this version of WebAssembly is not known; only 1 is');
  reader.at = 8;
};
