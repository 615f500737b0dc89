import { encodeUtf8 } from 'vcp-plugin';

/** In which way a text becomes bits. */
export enum Mode {
  Numeric,
  Alphanumeric,
  Byte,
}

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

export function modeName(mode: Mode): string {
  return mode == Mode.Numeric ? 'numeric' : mode == Mode.Alphanumeric ? 'alphanumeric' : 'byte';
}

/** A text as it goes into a symbol: digits take 3⅓ bits each, capitals and some signs 5½, anything else its UTF-8. */
export class Segment {
  readonly mode: Mode;
  readonly bytes: Uint8Array;

  constructor(public readonly text: string) {
    let mode = Mode.Numeric;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x30 && unit <= 0x39) continue;
      mode = Mode.Alphanumeric;
      if (ALPHANUMERIC.includes(text.charAt(at))) continue;
      mode = Mode.Byte;
      break;
    }
    this.mode = mode;
    this.bytes = mode == Mode.Byte ? encodeUtf8(text) : new Uint8Array(0);
  }

  /** Bits of the length field, which grows with the version. */
  private lengthBits(version: i32): i32 {
    const size = version < 10 ? 0 : version < 27 ? 1 : 2;
    if (this.mode == Mode.Numeric) return 10 + 2 * size;
    if (this.mode == Mode.Alphanumeric) return 9 + 2 * size;
    return size == 0 ? 8 : 16;
  }

  private get count(): i32 {
    return this.mode == Mode.Byte ? this.bytes.length : this.text.length;
  }

  bitLength(version: i32): i32 {
    const count = this.count;
    const head = 4 + this.lengthBits(version);
    if (this.mode == Mode.Byte) return head + 8 * count;
    if (this.mode == Mode.Alphanumeric) return head + (count / 2) * 11 + (count % 2) * 6;
    const rest = count % 3;
    return head + (count / 3) * 10 + (rest == 0 ? 0 : rest * 3 + 1);
  }

  write(bits: BitWriter, version: i32): void {
    const text = this.text;
    bits.write(1 << (<i32>this.mode), 4);
    bits.write(this.count, this.lengthBits(version));
    if (this.mode == Mode.Byte) {
      for (let at = 0; at < this.bytes.length; at++) bits.write(this.bytes[at], 8);
    } else if (this.mode == Mode.Numeric) {
      for (let at = 0; at < text.length; at += 3) {
        const digits = text.substring(at, at + 3);
        bits.write(<i32>parseInt(digits, 10), digits.length * 3 + 1);
      }
    } else {
      for (let at = 0; at < text.length; at += 2) {
        const first = ALPHANUMERIC.indexOf(text.charAt(at));
        if (at + 1 == text.length) bits.write(first, 6);
        else bits.write(first * 45 + ALPHANUMERIC.indexOf(text.charAt(at + 1)), 11);
      }
    }
  }
}

/** Bits into bytes, the highest first. */
export class BitWriter {
  length: i32 = 0;

  constructor(public readonly bytes: Uint8Array) {}

  write(value: i32, bits: i32): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      if ((value >> bit) & 1) this.bytes[this.length >> 3] |= <u8>(<i32>0x80 >> (this.length & 7));
      this.length++;
    }
  }
}
