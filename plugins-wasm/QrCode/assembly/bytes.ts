/** Bytes that grow. */
export class Bytes {
  private buffer: Uint8Array = new Uint8Array(4096);
  length: i32 = 0;

  push(value: u32): void {
    if (this.length == this.buffer.length) {
      const larger = new Uint8Array(this.length * 2);
      memory.copy(larger.dataStart, this.buffer.dataStart, this.length);
      this.buffer = larger;
    }
    this.buffer[this.length++] = <u8>value;
  }

  /** 32 bits, the highest byte first. */
  push32(value: u32): void {
    for (let shift = 24; shift >= 0; shift -= 8) this.push((value >> shift) & 0xff);
  }

  pushAll(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.push(bytes[at]);
  }

  pushText(text: string): void {
    for (let at = 0; at < text.length; at++) this.push(text.charCodeAt(at));
  }

  /** What is there, without a copy. */
  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
