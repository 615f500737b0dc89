/** Bytes of a module, written from the start to the end. */
export class WasmWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  u8(...bytes: readonly number[]): this {
    this.#reserve(bytes.length);
    for (const byte of bytes) {
      this.#bytes[this.#length] = byte;
      this.#length += 1;
    }
    return this;
  }

  u32(value: number): this {
    let rest = value;
    while (rest > 0x7f) {
      this.u8((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.u8(rest);
  }

  /** A signed LEB128 number that is zero or more, such as a constant's value; safe integers only. */
  positive(value: number): this {
    let rest = value;
    while (rest > 0x3f) {
      this.u8((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.u8(rest);
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.u32(bytes.length).raw(bytes);
  }

  /** What `content` holds, with its length before it. */
  sized(content: WasmWriter): this {
    return this.u32(content.length).raw(content.bytes());
  }

  section(id: number, content: WasmWriter): this {
    return this.u8(id).sized(content);
  }

  /** What was written so far; valid until the next write. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }
}
