export type BulkOperand = 'elements' | 'data' | 'memory' | 'table';

export type BulkOperation = {
  readonly operands: readonly BulkOperand[];
  /** What the length on top of the stack counts; `grows` when it is what a table shall grow by. */
  readonly length: 'bytes' | 'elements' | 'grows' | null;
};

/** What follows 0xfc, from 8 on. */
const BULK_OPERATIONS: readonly BulkOperation[] = [
  { operands: ['data', 'memory'], length: 'bytes' }, // memory.init
  { operands: ['data'], length: null }, // data.drop
  { operands: ['memory', 'memory'], length: 'bytes' }, // memory.copy
  { operands: ['memory'], length: 'bytes' }, // memory.fill
  { operands: ['elements', 'table'], length: 'elements' }, // table.init
  { operands: ['elements'], length: null }, // elem.drop
  { operands: ['table', 'table'], length: 'elements' }, // table.copy
  { operands: ['table'], length: 'grows' }, // table.grow
  { operands: ['table'], length: null }, // table.size
  { operands: ['table'], length: 'elements' }, // table.fill
];

/** The operation with this number behind 0xfc. */
export const bulkOperation = (opcode: number): BulkOperation | undefined => BULK_OPERATIONS[opcode - 8];
