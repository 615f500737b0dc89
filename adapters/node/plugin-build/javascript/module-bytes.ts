import { joinBytes } from '../../../../src/lib/bytes.ts';

const HEADER = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
const OPCODE_END = 0x0b;

/** Reads the numbers and names that a WebAssembly module is written in. */
export class ModuleReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  sections(): { id: number; body: Uint8Array }[] {
    if (HEADER.some((byte, index) => this.#bytes[index] !== byte)) throw new Error('this is no WebAssembly module');
    this.#at = HEADER.length;
    const sections = [];
    while (this.#at < this.#bytes.length) sections.push({ id: this.byte(), body: this.#take(this.unsigned()) });
    return sections;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the WebAssembly module ends too early');
    this.#at += 1;
    return byte;
  }

  /** LEB128, up to 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  name(): string {
    return new TextDecoder().decode(this.#take(this.unsigned()));
  }

  /** The initial value of a global, its end included. Integers only. */
  constant(): Uint8Array {
    const start = this.#at;
    this.byte();
    while (this.byte() >= 0x80);
    if (this.byte() !== OPCODE_END) throw new Error('the initial value of a global is no plain integer');
    return this.#bytes.subarray(start, this.#at);
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new Error('the WebAssembly module ends too early');
    this.#at += length;
    return taken;
  }
}

/** Writes what `ModuleReader` reads. */
export class ModuleWriter {
  readonly #pieces: Uint8Array[] = [];

  byte(value: number): this {
    return this.raw(Uint8Array.of(value));
  }

  raw(bytes: Uint8Array): this {
    this.#pieces.push(bytes);
    return this;
  }

  unsigned(value: number): this {
    const bytes = [];
    let rest = value;
    do {
      const low = rest % 128;
      rest = Math.floor(rest / 128);
      bytes.push(rest > 0 ? low | 0x80 : low);
    } while (rest > 0);
    return this.raw(Uint8Array.from(bytes));
  }

  signed(value: bigint): this {
    const bytes = [];
    let rest = value;
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)) {
        bytes.push(low);
        return this.raw(Uint8Array.from(bytes));
      }
      bytes.push(low | 0x80);
    }
  }

  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.unsigned(bytes.length).raw(bytes);
  }

  section(id: number, body: Uint8Array): this {
    return this.byte(id).unsigned(body.length).raw(body);
  }

  bytes(): Uint8Array {
    return joinBytes(this.#pieces);
  }

  /** All sections, as a module. */
  finish(): Uint8Array {
    return new ModuleWriter().raw(HEADER).raw(this.bytes()).bytes();
  }
}
