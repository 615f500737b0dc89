/** ASCII text of a known greatest length, without a string for each piece. */
export class AsciiWriter {
  private readonly bytes: Uint8Array;
  private length: i32 = 0;

  constructor(mostLength: i32) {
    this.bytes = new Uint8Array(mostLength);
  }

  push(unit: i32): void {
    this.bytes[this.length++] = <u8>unit;
  }

  toString(): string {
    return String.UTF8.decodeUnsafe(this.bytes.dataStart, this.length);
  }
}
