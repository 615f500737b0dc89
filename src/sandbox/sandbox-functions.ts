import type { ModuleShape } from './module-shape.ts';

/** The indexes of the functions that are added behind the module's own. */
export type SandboxFunctions = {
  /** The function to call instead of one of the module's: imported ones have a metered one before them. */
  instead(index: number): number;
  readonly chargeBytes: number;
  readonly chargeElements: number;
  readonly growMemory: number;
  growTable(table: number): number;
  readonly count: number;
};

export const sandboxFunctionsOf = ({ functions, imported, tables }: ModuleShape): SandboxFunctions => {
  const first = functions.length;
  const chargeBytes = first + imported.length;
  return {
    instead: (index) => (index < imported.length ? first + index : index),
    chargeBytes,
    chargeElements: chargeBytes + 1,
    growMemory: chargeBytes + 2,
    growTable: (table) => chargeBytes + 3 + table,
    count: imported.length + 3 + tables.length,
  };
};
