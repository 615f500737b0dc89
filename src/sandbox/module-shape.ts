import type { HostFunctionName } from '../ports/wasm-sandbox.ts';
import type { ModuleRules } from './module-rules.ts';
import type { FunctionType, ValueType } from './value-type.ts';
import type { WasmReader } from './wasm-reader.ts';

export type Limits = { readonly initial: number; readonly maximum: number };
export type Table = Limits & { readonly type: ValueType };

/** A place where a function's index is written; `until` is where the number ends. */
export type FunctionReference = { readonly at: number; readonly until: number; readonly index: number };

/** Where the entries of a section are in the bytes, without their count. */
export type SectionPart = {
  readonly count: number;
  readonly start: number;
  readonly end: number;
  /** Where they name imported functions: no other index changes. */
  readonly references: readonly FunctionReference[];
};

/** What the sections before the code declare; filled while they are read. */
export type ModuleShape = {
  readonly types: FunctionType[];
  /** The imported functions, by index, and whether one is `alloc`, which costs by the length it asks for. */
  readonly imported: { readonly type: number; readonly allocates: boolean }[];
  readonly hostFunctions: Set<HostFunctionName>;
  /** The type of each function, imported ones first. */
  readonly functions: number[];
  readonly tables: Table[];
  memory: Limits | null;
  globals: number;
  readonly exports: string[];
  start: number | null;
  dataCount: number | null;
  /** How many elements each element segment has. */
  readonly elementSegments: number[];
  /** Where each function's body is, from its declaration of locals to behind its last `end`. */
  readonly bodies: { readonly start: number; readonly end: number }[];
};

/** Reads the entries of one section into the shape, and notes where it names functions. */
export type ReadSection = (
  reader: WasmReader,
  section: {
    readonly shape: ModuleShape;
    readonly rules: ModuleRules;
    readonly count: number;
    readonly references: FunctionReference[];
  },
) => void;

export const createModuleShape = (): ModuleShape => ({
  types: [],
  imported: [],
  hostFunctions: new Set(),
  functions: [],
  tables: [],
  memory: null,
  globals: 0,
  exports: [],
  start: null,
  dataCount: null,
  elementSegments: [],
  bodies: [],
});
