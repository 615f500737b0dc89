import { FUEL_COST } from './fuel-cost.ts';

/** What an instruction of one byte costs that is neither control flow nor a call. */
export const plainCost = (opcode: number): number => (isDivision(opcode) ? FUEL_COST.division : FUEL_COST.instruction);

/** What a vector instruction costs, by the number behind 0xfd. */
export const vectorCost = (opcode: number): number =>
  VECTOR_DIVISIONS.has(opcode) ? FUEL_COST.vectorDivision : FUEL_COST.instruction;

/** i32 and i64 division and remainder; square roots and division of both float types. */
const isDivision = (opcode: number): boolean =>
  (opcode >= 0x6d && opcode <= 0x70) || (opcode >= 0x7f && opcode <= 0x82) || [0x91, 0x95, 0x9f, 0xa3].includes(opcode);

/** Square root and division of f32x4, then of f64x2. */
const VECTOR_DIVISIONS = new Set([0xe3, 0xe7, 0xef, 0xf3]);
