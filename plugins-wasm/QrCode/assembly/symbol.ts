import { Level } from './capacity';

/** The modules of a symbol, dark ones 1. What belongs to a pattern is marked, and takes neither data nor a mask. */
export class QrSymbol {
  readonly size: i32;
  readonly modules: Uint8Array;
  private readonly reserved: Uint8Array;

  constructor(
    public readonly version: i32,
    private readonly level: Level,
  ) {
    const size = 17 + 4 * version;
    this.size = size;
    this.modules = new Uint8Array(size * size);
    this.reserved = new Uint8Array(size * size);
    this.placePatterns();
  }

  isDark(x: i32, y: i32): bool {
    return this.modules[y * this.size + x] != 0;
  }

  private reserve(x: i32, y: i32, dark: bool): void {
    this.modules[y * this.size + x] = dark ? 1 : 0;
    this.reserved[y * this.size + x] = 1;
  }

  private placePatterns(): void {
    const size = this.size;
    for (let at = 0; at < size; at++) {
      this.reserve(6, at, at % 2 == 0);
      this.reserve(at, 6, at % 2 == 0);
    }
    this.placeFinder(3, 3);
    this.placeFinder(size - 4, 3);
    this.placeFinder(3, size - 4);
    this.placeAlignments();
    this.placeFormat(0);
    if (this.version >= 7) this.placeVersion();
  }

  /** A finder pattern with the light line around it, as far as that is inside. */
  private placeFinder(centreX: i32, centreY: i32): void {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const x = centreX + dx;
        const y = centreY + dy;
        if (x < 0 || y < 0 || x >= this.size || y >= this.size) continue;
        const ring = max(abs(dx), abs(dy));
        this.reserve(x, y, ring != 2 && ring != 4);
      }
    }
  }

  private placeAlignments(): void {
    const places = alignmentPlaces(this.version);
    const last = places.length - 1;
    for (let row = 0; row <= last; row++) {
      for (let column = 0; column <= last; column++) {
        // The finder patterns stand in three of the corners.
        if ((row == 0 && (column == 0 || column == last)) || (row == last && column == 0)) continue;
        for (let dy = -2; dy <= 2; dy++) {
          for (let dx = -2; dx <= 2; dx++) {
            this.reserve(places[column] + dx, places[row] + dy, max(abs(dx), abs(dy)) != 1);
          }
        }
      }
    }
  }

  /** Level and mask, twice, with an error correction of their own. */
  placeFormat(mask: i32): void {
    // The levels L, M, Q, H are numbered 1, 0, 3, 2.
    const value = ((<i32>this.level ^ 1) << 3) | mask;
    let rest = value;
    for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((value << 10) | rest) ^ 0x5412;
    const size = this.size;
    for (let at = 0; at < 15; at++) {
      const dark = ((bits >> at) & 1) != 0;
      // Around the finder pattern above left, past the timing patterns.
      if (at < 8) this.reserve(8, at < 6 ? at : at + 1, dark);
      else this.reserve(at == 8 ? 7 : 14 - at, 8, dark);
      // Beside the other two.
      if (at < 8) this.reserve(size - 1 - at, 8, dark);
      else this.reserve(8, size - 15 + at, dark);
    }
    this.reserve(8, size - 8, true);
  }

  private placeVersion(): void {
    let rest = this.version;
    for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (this.version << 12) | rest;
    for (let at = 0; at < 18; at++) {
      const dark = ((bits >> at) & 1) != 0;
      const near = at / 3;
      const far = this.size - 11 + (at % 3);
      this.reserve(far, near, dark);
      this.reserve(near, far, dark);
    }
  }

  /** The codewords from below right, upwards and downwards in columns of two modules. */
  placeData(codewords: Uint8Array): void {
    let bit = 0;
    const bits = codewords.length * 8;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      // The column of the timing pattern is passed over.
      if (right == 6) right = 5;
      const upwards = ((right + 1) & 2) == 0;
      for (let step = 0; step < this.size; step++) {
        const y = upwards ? this.size - 1 - step : step;
        for (let x = right; x > right - 2; x--) {
          const at = y * this.size + x;
          if (this.reserved[at] || bit >= bits) continue;
          this.modules[at] = <u8>((<i32>codewords[bit >> 3] >> (7 - (bit & 7))) & 1);
          bit++;
        }
      }
    }
  }

  /** Turns modules of the data round as a mask says; the same mask again undoes it. */
  applyMask(mask: i32): void {
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        const at = y * this.size + x;
        if (!this.reserved[at] && isMasked(mask, x, y)) this.modules[at] ^= 1;
      }
    }
  }
}

function isMasked(mask: i32, x: i32, y: i32): bool {
  switch (mask) {
    case 0:
      return (x + y) % 2 == 0;
    case 1:
      return y % 2 == 0;
    case 2:
      return x % 3 == 0;
    case 3:
      return (x + y) % 3 == 0;
    case 4:
      return (x / 3 + y / 2) % 2 == 0;
    case 5:
      return ((x * y) % 2) + ((x * y) % 3) == 0;
    case 6:
      return (((x * y) % 2) + ((x * y) % 3)) % 2 == 0;
    default:
      return (((x + y) % 2) + ((x * y) % 3)) % 2 == 0;
  }
}

/** Where the centres of alignment patterns are, on both axes: evenly spread, the first distance takes what is left. */
function alignmentPlaces(version: i32): Array<i32> {
  const places = new Array<i32>();
  if (version == 1) return places;
  const count = version / 7 + 2;
  const last = 4 * version + 10;
  // Version 32 is the one that the rule of the others does not give.
  const gaps = count - 1;
  const step = version == 32 ? 26 : 2 * ((last - 6 + 2 * gaps - 1) / (2 * gaps));
  places.push(6);
  for (let at = count - 2; at >= 0; at--) places.push(last - at * step);
  return places;
}
