// Error correction in GF(2^8) over x^8 + x^4 + x^3 + x^2 + 1.

function multiply(left: u32, right: u32): u32 {
  let product: u32 = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((right >> bit) & 1) * left;
  }
  return product;
}

/** The coefficients of the generator polynomial of a degree, the highest first, without the leading 1. */
export function generator(degree: i32): Uint8Array {
  const coefficients = new Uint8Array(degree);
  coefficients[degree - 1] = 1;
  let root: u32 = 1;
  for (let step = 0; step < degree; step++) {
    for (let at = 0; at < degree; at++) {
      const next: u32 = at + 1 < degree ? coefficients[at + 1] : 0;
      coefficients[at] = <u8>(multiply(coefficients[at], root) ^ next);
    }
    root = multiply(root, 2);
  }
  return coefficients;
}

/** What is left of the data when it is divided by the generator: the bytes of error correction. */
export function remainder(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const degree = divisor.length;
  const rest = new Uint8Array(degree);
  for (let at = 0; at < data.length; at++) {
    const factor = data[at] ^ rest[0];
    memory.copy(rest.dataStart, rest.dataStart + 1, degree - 1);
    rest[degree - 1] = 0;
    for (let power = 0; power < degree; power++) rest[power] ^= <u8>multiply(divisor[power], factor);
  }
  return rest;
}
