/** The generator SFC32 by Chris Doty-Humphrey: a new function that gives numbers from 0 (included) to 1. */
export function seededRandom(seed: number): () => number {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // The first numbers of near seeds are near to each other.
  for (let round = 0; round < 12; round += 1) next();
  return () => (next() * 0x200000 + (next() >>> 11)) / 0x20000000000000;
}
