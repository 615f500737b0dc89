import type { Engine } from './engine.ts';

/** Bytes. Larger free places are taken in pieces of the first size, what is left of them in ever smaller ones. */
const LARGEST = 32_768;
const SMALLEST = 16;

/**
 * Overwrites with zeros what was freed, so that a snapshot does not carry what was thrown away: takes all free memory in
 * pieces until there is none, wipes them and gives them back.
 */
export const wipeFreeMemory = (engine: Engine): void => {
  const end = engine.memory.buffer.byteLength;
  const taken: number[] = [];
  for (let size = LARGEST; size >= SMALLEST; size /= 2) {
    // A piece from behind the end is new memory: nothing of this size was free any more.
    for (let piece = 0; piece < end;) {
      piece = engine.call('wasm_malloc', size);
      if (piece === 0) break;
      new Uint8Array(engine.memory.buffer).fill(0, piece, piece + size);
      taken.push(piece);
    }
  }
  for (const piece of taken) engine.call('wasm_free', piece);
};
