import { ModuleRefusal } from './module-refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads one module from its start to its end. Each read that the bytes cannot answer refuses the module. */
export class WasmReader {
  readonly bytes: Uint8Array;
  /** The next byte to read. */
  at: number;
  /** Where the part that is read ends; no read goes beyond it. */
  end: number;
  /** What is being read, for messages: `function 12`. */
  place = 'the module';

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  refuse(what: string, at = this.at): never {
    throw new ModuleRefusal(`${this.place}, at byte ${at}: ${what}`);
  }

  u8(): number {
    if (this.at >= this.end) this.refuse('the bytes end too early; the file is cut off or damaged');
    const byte = this.bytes[this.at] as number;
    this.at += 1;
    return byte;
  }

  /** An unsigned LEB128 number of 32 bits. */
  u32(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      if (shift === 28 && byte > 0x0f) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return this.refuse('this number has more than 32 bits', start);
  }

  /** A signed LEB128 number of up to 33 bits, as a block type has it. */
  s33(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return (byte & 0x40) === 0 ? value : value - 2 ** (shift + 7);
    }
    return this.refuse('this number has more than 33 bits', start);
  }

  /** Steps over a signed LEB128 number; the engine checks its value. */
  skipSigned(bits: 32 | 64): void {
    const start = this.at;
    const longest = Math.ceil(bits / 7);
    for (let length = 0; length < longest; length += 1) if (this.u8() < 0x80) return;
    this.refuse(`this number has more than ${bits} bits`, start);
  }

  skip(count: number): void {
    if (count > this.end - this.at) this.refuse('the bytes end too early; the file is cut off or damaged');
    this.at += count;
  }

  /** The number of entries of a vector, none of which can be shorter than `least` bytes. */
  count(most: number, what: string, least = 1): number {
    const start = this.at;
    const count = this.u32();
    if (count > most) this.refuse(`${count} ${what}; at most ${most} are accepted`, start);
    if (count * least > this.end - this.at) this.refuse(`${count} ${what} do not fit into what is left`, start);
    return count;
  }

  name(): string {
    const length = this.count(this.end - this.at, 'bytes of a name');
    const start = this.at;
    this.skip(length);
    try {
      return utf8.decode(this.bytes.subarray(start, this.at));
    } catch {
      return this.refuse('this name is not UTF-8', start);
    }
  }
}
