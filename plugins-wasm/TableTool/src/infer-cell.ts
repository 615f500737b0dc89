import type { Cell } from './table.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** More digits than this do not all fit into a JSON number. */
const MOST_DIGITS = 15;

/** What a text most likely stands for. 007 stays text, and so does a number with more digits than JSON readers keep. */
export function inferCell(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  const text = cell.trim();
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= MOST_DIGITS ? Number(text) : cell;
}
