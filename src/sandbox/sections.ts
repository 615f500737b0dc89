import type { ModuleRules } from './module-rules.ts';
import type { ReadSection } from './module-shape.ts';
import { readFunctions, readImports, readMemory, readTables, readTypes } from './read-declarations.ts';
import { readBodies, readData, readElements, readExports, readGlobals } from './read-definitions.ts';

/** One kind of section that is a list. */
export type SectionKind = {
  readonly read: ReadSection;
  /** What its entries are, for messages. */
  readonly entries: string;
  /** The fewest bytes that an entry has: a count beyond what they fit into is refused before anything is made of it. */
  readonly least: number;
  readonly most: (rules: ModuleRules) => number;
};

export const SECTION = {
  custom: 0,
  types: 1,
  imports: 2,
  functions: 3,
  tables: 4,
  memory: 5,
  globals: 6,
  exports: 7,
  start: 8,
  elements: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tags: 13,
} as const;

/** In the order in which they stand in a module. */
export const SECTION_ORDER: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];

export const LISTS: ReadonlyMap<number, SectionKind> = new Map<number, SectionKind>([
  [SECTION.types, { read: readTypes, entries: 'types', least: 3, most: (rules) => rules.types }],
  [SECTION.imports, { read: readImports, entries: 'imports', least: 4, most: (rules) => rules.imports }],
  [SECTION.functions, { read: readFunctions, entries: 'functions', least: 1, most: (rules) => rules.functions }],
  [SECTION.tables, { read: readTables, entries: 'tables', least: 3, most: (rules) => rules.tables }],
  [SECTION.memory, { read: readMemory, entries: 'memories', least: 2, most: () => 1 }],
  [SECTION.globals, { read: readGlobals, entries: 'globals', least: 3, most: (rules) => rules.globals }],
  [SECTION.exports, { read: readExports, entries: 'exports', least: 3, most: (rules) => rules.exports }],
  [
    SECTION.elements,
    { read: readElements, entries: 'element segments', least: 2, most: (rules) => rules.elementSegments },
  ],
  [SECTION.code, { read: readBodies, entries: 'function bodies', least: 2, most: (rules) => rules.functions }],
  [SECTION.data, { read: readData, entries: 'data segments', least: 2, most: (rules) => rules.dataSegments }],
]);
