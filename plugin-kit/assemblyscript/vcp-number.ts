// Decimal text to the nearest double. The parseFloat of AssemblyScript's library is off by one last bit now and then.

/** Digits that are looked at; one more stands for all that follow, which can only tell a tie from more than that. */
const MOST_DIGITS = 770;
/** 32-bit parts of a big number: enough for that many digits times any power that a double can have. */
const PARTS = 256;

/** The nearest double to a number in JSON's notation, which the caller has checked: bytes from `start` to before `end`. */
export function readNumber(start: usize, end: usize): f64 {
  let at = start;
  const isNegative = load<u8>(at) == 0x2d;
  if (isNegative) at++;
  let count = 0;
  let exponent = 0;
  let isFraction = false;
  let isCut = false;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == 0x2e) {
      isFraction = true;
      continue;
    }
    if ((byte | 0x20) == 0x65) break;
    if (count < MOST_DIGITS && (count > 0 || byte != 0x30)) digits[count++] = byte - 0x30;
    else if (count > 0) {
      isCut = isCut || byte != 0x30;
      if (!isFraction) exponent++;
      continue;
    }
    if (isFraction) exponent--;
  }
  if (isCut) {
    digits[count++] = 1;
    exponent--;
  }
  if (at < end) exponent += readExponent(at + 1, end);
  const size = magnitude(count, exponent);
  return isNegative ? -size : size;
}

/** Bounded: a number with a larger exponent is infinite or zero anyway. */
function readExponent(start: usize, end: usize): i32 {
  const sign = load<u8>(start);
  let value = 0;
  for (let at = sign == 0x2b || sign == 0x2d ? start + 1 : start; at < end; at++) {
    value = min(value * 10 + (load<u8>(at) - 0x30), 1_000_000);
  }
  return sign == 0x2d ? -value : value;
}

function magnitude(count: i32, exponent: i32): f64 {
  if (count == 0 || exponent + count < -330) return 0;
  if (exponent + count > 310) return Infinity;
  if (count <= 15 && exponent >= -22 && exponent <= 22) {
    let value: i64 = 0;
    for (let at = 0; at < count; at++) value = value * 10 + digits[at];
    // Both are exact, so that their product is rounded once.
    return scaled(<f64>value, exponent);
  }
  const estimate = estimated(count, exponent);
  let bits = isFinite(estimate) ? reinterpret<u64>(estimate) : reinterpret<u64>(f64.MAX_VALUE);
  while (bits < INFINITE) {
    const above = compareToMiddle(count, exponent, bits);
    // A tie goes to the even one.
    if (above > 0 || (above == 0 && (bits & 1) == 1)) {
      bits++;
      continue;
    }
    if (bits == 0) break;
    const below = compareToMiddle(count, exponent, bits - 1);
    if (below > 0 || (below == 0 && (bits & 1) == 0)) break;
    bits--;
  }
  return reinterpret<f64>(bits);
}

const INFINITE: u64 = 0x7ff0000000000000;

/** A few units of the last bit off at most, which the comparisons then mend one by one. */
function estimated(count: i32, exponent: i32): f64 {
  const used = min(count, 18);
  let value: u64 = 0;
  for (let at = 0; at < used; at++) value = value * 10 + digits[at];
  return scaled(<f64>value, exponent + count - used);
}

const POWERS: StaticArray<f64> = [1e256, 1e128, 1e64, 1e32, 1e16, 1e8, 1e4, 1e2, 1e1];

/** A value times a power of ten that has at most nine binary digits; exact up to the 22nd. */
function scaled(value: f64, exponent: i32): f64 {
  const size = abs(exponent);
  let factor: f64 = 1;
  if (size <= 22) {
    for (let step = 0; step < size; step++) factor *= 10;
    return exponent < 0 ? value / factor : value * factor;
  }
  let result = value;
  for (let at = 0; at < POWERS.length; at++) {
    if (((size >> (8 - at)) & 1) == 0) continue;
    result = exponent < 0 ? result / POWERS[at] : result * POWERS[at];
  }
  return result;
}

/** Whether the decimal is more, less or as much as the middle between a double and the next larger one. */
function compareToMiddle(count: i32, exponent: i32, bits: u64): i32 {
  const biased = <i32>(bits >> 52);
  const fraction = bits & 0xfffffffffffff;
  const significand = biased == 0 ? fraction : fraction | 0x10000000000000;
  const shift = max(biased, 1) - 1076;
  decimal.clear();
  for (let at = 0; at < count; at++) decimal.multiplyAdd(10, digits[at]);
  middle.clear();
  const twice = 2 * significand + 1;
  middle.multiplyAdd(0, <u32>(twice >> 32));
  middle.shiftLeft(32);
  middle.multiplyAdd(1, <u32>twice);
  const powered = exponent < 0 ? middle : decimal;
  let left = abs(exponent);
  for (; left >= 9; left -= 9) powered.multiplyAdd(1_000_000_000, 0);
  for (; left > 0; left--) powered.multiplyAdd(10, 0);
  if (shift < 0) decimal.shiftLeft(-shift);
  else middle.shiftLeft(shift);
  return decimal.compare(middle);
}

class BigNumber {
  private readonly parts: StaticArray<u32> = new StaticArray<u32>(PARTS);
  private length: i32 = 0;

  clear(): void {
    this.length = 0;
  }

  multiplyAdd(factor: u32, addend: u32): void {
    let carry: u64 = addend;
    for (let at = 0; at < this.length; at++) {
      carry += <u64>this.parts[at] * factor;
      this.parts[at] = <u32>carry;
      carry >>= 32;
    }
    if (carry > 0) this.parts[this.length++] = <u32>carry;
  }

  shiftLeft(bits: i32): void {
    const whole = bits / 32;
    const rest = bits % 32;
    if (rest > 0) this.multiplyAdd(1 << rest, 0);
    if (whole == 0 || this.length == 0) return;
    for (let at = this.length - 1; at >= 0; at--) this.parts[at + whole] = this.parts[at];
    for (let at = 0; at < whole; at++) this.parts[at] = 0;
    this.length += whole;
  }

  compare(other: BigNumber): i32 {
    if (this.length != other.length) return this.length - other.length;
    for (let at = this.length - 1; at >= 0; at--) {
      if (this.parts[at] != other.parts[at]) return this.parts[at] > other.parts[at] ? 1 : -1;
    }
    return 0;
  }
}

// Used by one number after another: nothing is ever freed where an instance lives for one call.
const digits = new StaticArray<u8>(MOST_DIGITS + 1);
const decimal = new BigNumber();
const middle = new BigNumber();
