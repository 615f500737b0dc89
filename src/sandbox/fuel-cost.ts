/**
 * What runs cost, in units of fuel. One unit is one simple instruction, which takes 0.02 to 0.6 ns on a server of 2025:
 * less where an optimiser removes it, more where each waits for the one before. The other prices were measured, so that
 * no unit buys much more than the dearest simple instruction.
 */
export const FUEL_COST = {
  instruction: 1,
  /** Division, remainder and square root: 4 to 8 ns. */
  division: 8,
  /** Division and square root of two or four floats at once: up to 11 ns. */
  vectorDivision: 16,
  callIndirect: 4,
  /** `table.get` and `ref.func`, which may have to make an object for a function. */
  reference: 16,
  /** `table.set`, with a function: 54 ns. */
  tableSet: 64,
  /** Parameters and results that a call moves, and values that a branch carries: one unit for so many. */
  movedValues: 4,
  /** Locals that a function sets to zero when it begins: one unit for so many. */
  zeroedLocals: 8,
  /** Beginning a bulk operation, whatever its length. */
  bulkSetUp: 16,
  /** One unit for 2 ** 4 = 16 bytes that are filled, copied or asked of the host: 0.08 to 0.4 ns. */
  bytesShift: 4,
  /** Each element of a table that is filled, copied or added: up to 26 ns. */
  element: 32,
  /** Each element of the segment that a table is filled from, whatever is taken of it: 10 to 20 ns. */
  segmentElement: 32,
  /** Each try to grow a memory or a table. */
  growSetUp: 200,
  /** Each page that a memory grew by: 16 faults when it is touched, some 4 µs. */
  page: 16_384,
  /** A call of any function of the host. */
  hostCall: 100,
} as const;
