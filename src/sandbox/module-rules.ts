/** What a module may hold. Each rule bounds what instantiating, compiling or one instruction can cost. */
export type ModuleRules = {
  /** Pages of 64 KiB that the memory may grow to. */
  readonly memoryPages: number;
  /** Elements that each table may grow to. */
  readonly tableElements: number;
  readonly tables: number;
  /** Bytes of one function's body, before the rewrite. An engine's optimiser may take long for one large function. */
  readonly functionBytes: number;
  readonly functions: number;
  /** Locals of one function, parameters included. */
  readonly functionLocals: number;
  readonly parameters: number;
  readonly results: number;
  readonly types: number;
  readonly imports: number;
  readonly exports: number;
  readonly globals: number;
  readonly elementSegments: number;
  /** Elements of all element segments. */
  readonly elements: number;
  readonly dataSegments: number;
  /** Bytes of the whole module, before the rewrite. */
  readonly moduleBytes: number;
  /** Targets of one `br_table`. */
  readonly branchTargets: number;
  /** Blocks inside each other. */
  readonly nesting: number;
  /** Fuel for what runs before the host sets the fuel of the call: a start function, `_initialize`. */
  readonly startFuel: number;
};

/** All rules but the memory, which every plugin has its own limit for. */
export const DEFAULT_MODULE_RULES: Omit<ModuleRules, 'memoryPages'> = {
  tableElements: 16_384,
  tables: 8,
  functionBytes: 256 * 1024,
  functions: 50_000,
  functionLocals: 4_096,
  parameters: 64,
  results: 16,
  types: 10_000,
  imports: 256,
  exports: 1_024,
  globals: 10_000,
  elementSegments: 1_024,
  elements: 65_536,
  dataSegments: 16_384,
  moduleBytes: 16 * 1024 * 1024,
  branchTargets: 8_192,
  nesting: 4_096,
  startFuel: 20_000_000,
};
