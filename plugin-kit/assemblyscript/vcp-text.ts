/** Text on its way out, as UTF-8. Half of a surrogate pair alone, which UTF-8 does not have, becomes U+FFFD, or an escape in JSON. */
export class TextWriter {
  private start: usize = heap.alloc(1024);
  private capacity: i32 = 1024;
  length: i32 = 0;

  /** Where the bytes are, until something is written again. */
  get address(): usize {
    return this.start;
  }

  private need(bytes: i32): void {
    const wanted = this.length + bytes;
    if (wanted <= this.capacity) return;
    const capacity = max(wanted, this.capacity * 2);
    this.start = heap.realloc(this.start, capacity);
    this.capacity = capacity;
  }

  byte(value: u8): void {
    this.need(1);
    store<u8>(this.start + this.length++, value);
  }

  /** A text as it is. */
  text(value: string): void {
    const length = value.length;
    this.need(length * 3);
    const from = changetype<usize>(value);
    for (let at = 0; at < length; at++) {
      const unit = <u32>load<u16>(from + ((<usize>at) << 1));
      if (unit < 0x80) store<u8>(this.start + this.length++, <u8>unit);
      else at += this.beyondAscii(from, at, length, unit, false);
    }
  }

  /** A text as a JSON string, in its quotes. */
  quoted(value: string): void {
    const length = value.length;
    // The longest that one unit can become is an escape of six bytes.
    this.need(length * 6 + 2);
    const from = changetype<usize>(value);
    store<u8>(this.start + this.length++, 0x22);
    for (let at = 0; at < length; at++) {
      const unit = <u32>load<u16>(from + ((<usize>at) << 1));
      if (unit < 0x20 || unit == 0x22 || unit == 0x5c) this.escape(unit);
      else if (unit < 0x80) store<u8>(this.start + this.length++, <u8>unit);
      else at += this.beyondAscii(from, at, length, unit, true);
    }
    store<u8>(this.start + this.length++, 0x22);
  }

  /** Writes a character beyond ASCII; answers how many further units it took. */
  private beyondAscii(from: usize, at: i32, length: i32, unit: u32, inJson: bool): i32 {
    const to = this.start + this.length;
    if (unit < 0x800) {
      store<u8>(to, <u8>(0xc0 | (unit >> 6)));
      store<u8>(to, <u8>(0x80 | (unit & 0x3f)), 1);
      this.length += 2;
      return 0;
    }
    if (unit < 0xd800 || unit > 0xdfff) {
      this.three(to, unit);
      return 0;
    }
    const next = at + 1 < length ? <u32>load<u16>(from + ((<usize>at) << 1), 2) : 0;
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) {
      if (inJson) this.hex(unit);
      else this.three(to, 0xfffd);
      return 0;
    }
    const point = 0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff);
    store<u8>(to, <u8>(0xf0 | (point >> 18)));
    store<u8>(to, <u8>(0x80 | ((point >> 12) & 0x3f)), 1);
    store<u8>(to, <u8>(0x80 | ((point >> 6) & 0x3f)), 2);
    store<u8>(to, <u8>(0x80 | (point & 0x3f)), 3);
    this.length += 4;
    return 1;
  }

  private three(to: usize, unit: u32): void {
    store<u8>(to, <u8>(0xe0 | (unit >> 12)));
    store<u8>(to, <u8>(0x80 | ((unit >> 6) & 0x3f)), 1);
    store<u8>(to, <u8>(0x80 | (unit & 0x3f)), 2);
    this.length += 3;
  }

  private escape(unit: u32): void {
    let letter: u32 = 0;
    if (unit == 0x22 || unit == 0x5c) letter = unit;
    else if (unit == 0x0a) letter = 0x6e;
    else if (unit == 0x0d) letter = 0x72;
    else if (unit == 0x09) letter = 0x74;
    if (letter == 0) return this.hex(unit);
    const to = this.start + this.length;
    store<u8>(to, 0x5c);
    store<u8>(to, <u8>letter, 1);
    this.length += 2;
  }

  private hex(unit: u32): void {
    const to = this.start + this.length;
    store<u8>(to, 0x5c);
    store<u8>(to, 0x75, 1);
    for (let digit = 0; digit < 4; digit++) {
      const value = (unit >> (12 - 4 * digit)) & 15;
      store<u8>(to + 2 + digit, <u8>(value < 10 ? 0x30 + value : 0x57 + value));
    }
    this.length += 6;
  }
}
