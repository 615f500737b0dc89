import { Json } from './vcp-json';
import { readNumber } from './vcp-number';

/** Levels of nesting; the host lets no more through either. */
const MAX_DEPTH = 64;

/** Reads one JSON value (RFC 8259) out of UTF-8 bytes. */
export class JsonReader {
  private readonly start: usize;
  private at: usize;
  private readonly end: usize;
  private depth: i32 = 0;

  constructor(start: usize, length: i32) {
    this.start = start;
    this.at = start;
    this.end = start + length;
  }

  read(): Json {
    const value = this.value();
    if (this.peek() >= 0) this.fail('nothing may follow the value');
    return value;
  }

  /** The next byte that is no white space, or -1 at the end. */
  private peek(): i32 {
    while (this.at < this.end) {
      const byte = load<u8>(this.at);
      if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return byte;
      this.at++;
    }
    return -1;
  }

  private value(): Json {
    const byte = this.peek();
    if (byte == 0x22) return Json.string(this.string());
    if (byte == 0x7b) return this.object();
    if (byte == 0x5b) return this.array();
    if (byte == 0x74) return this.word('true', Json.boolean(true));
    if (byte == 0x66) return this.word('false', Json.boolean(false));
    if (byte == 0x6e) return this.word('null', Json.null());
    if (byte == 0x2d || isDigit(byte)) return Json.numberAsRead(this.number());
    this.fail('a value is missing');
    return unreachable();
  }

  private object(): Json {
    const object = Json.object();
    this.enter();
    if (this.peek() == 0x7d) return this.leave(object);
    while (true) {
      if (this.peek() != 0x22) this.fail('a key in quotes is missing');
      const key = this.string();
      if (this.peek() != 0x3a) this.fail('a colon is missing');
      this.at++;
      object.append(key, this.value());
      const next = this.peek();
      if (next == 0x7d) return this.leave(object);
      if (next != 0x2c) this.fail('a comma or a brace is missing');
      this.at++;
    }
  }

  private array(): Json {
    const array = Json.array();
    this.enter();
    if (this.peek() == 0x5d) return this.leave(array);
    while (true) {
      array.items.push(this.value());
      const next = this.peek();
      if (next == 0x5d) return this.leave(array);
      if (next != 0x2c) this.fail('a comma or a bracket is missing');
      this.at++;
    }
  }

  private enter(): void {
    this.at++;
    if (++this.depth > MAX_DEPTH) this.fail('the nesting is too deep');
  }

  private leave(container: Json): Json {
    this.at++;
    this.depth--;
    return container;
  }

  private word(word: string, value: Json): Json {
    const length = word.length;
    if (this.end - this.at < <usize>length) this.fail('a word is cut off');
    for (let at = 0; at < length; at++) {
      if (<i32>load<u8>(this.at + at) != word.charCodeAt(at)) this.fail('there is no such word');
    }
    this.at += length;
    return value;
  }

  private number(): f64 {
    const from = this.at;
    if (this.byte() == 0x2d) this.at++;
    if (this.byte() == 0x30) this.at++;
    else this.digits();
    let isWhole = true;
    if (this.byte() == 0x2e) {
      isWhole = false;
      this.at++;
      this.digits();
    }
    if ((this.byte() | 0x20) == 0x65) {
      isWhole = false;
      this.at++;
      const sign = this.byte();
      if (sign == 0x2b || sign == 0x2d) this.at++;
      this.digits();
    }
    const length = this.at - from;
    // Up to 15 digits are exact; the general way is slower.
    if (isWhole && length <= 15) return this.whole(from);
    return readNumber(from, this.at);
  }

  private whole(from: usize): f64 {
    const isNegative = load<u8>(from) == 0x2d;
    let value: i64 = 0;
    for (let at = isNegative ? from + 1 : from; at < this.at; at++) value = value * 10 + (load<u8>(at) - 0x30);
    return isNegative ? -(<f64>value) : <f64>value;
  }

  private digits(): void {
    if (!isDigit(this.byte())) this.fail('a digit is missing');
    while (isDigit(this.byte())) this.at++;
  }

  /** The byte here, or -1 at the end. */
  private byte(): i32 {
    return this.at < this.end ? load<u8>(this.at) : -1;
  }

  private string(): string {
    const from = ++this.at;
    while (this.at < this.end) {
      const byte = load<u8>(this.at);
      if (byte == 0x22) return String.UTF8.decodeUnsafe(from, this.at++ - from);
      if (byte == 0x5c) return this.escaped(from);
      if (byte < 0x20) this.fail('a control character must be escaped');
      this.at++;
    }
    this.fail('the end quote is missing');
    return unreachable();
  }

  /** A string with escapes: what is between them, and they, one after another into one buffer. */
  private escaped(start: usize): string {
    let from = start;
    units.length = 0;
    while (this.at < this.end) {
      const byte = load<u8>(this.at);
      if (byte == 0x22 || byte == 0x5c) {
        if (this.at > from) units.append(String.UTF8.decodeUnsafe(from, this.at - from));
        this.at++;
        if (byte == 0x22) return units.text();
        units.push(this.escape());
        from = this.at;
      } else {
        if (byte < 0x20) this.fail('a control character must be escaped');
        this.at++;
      }
    }
    this.fail('the end quote is missing');
    return unreachable();
  }

  private escape(): i32 {
    const letter = this.byte();
    this.at++;
    if (letter == 0x22 || letter == 0x5c || letter == 0x2f) return letter;
    if (letter == 0x6e) return 0x0a;
    if (letter == 0x74) return 0x09;
    if (letter == 0x72) return 0x0d;
    if (letter == 0x62) return 0x08;
    if (letter == 0x66) return 0x0c;
    if (letter != 0x75) this.fail('there is no such escape');
    let unit = 0;
    for (let digit = 0; digit < 4; digit++) {
      unit = (unit << 4) | this.hexDigit();
      this.at++;
    }
    return unit;
  }

  private hexDigit(): i32 {
    const byte = this.byte();
    if (isDigit(byte)) return byte - 0x30;
    const lower = byte | 0x20;
    if (byte < 0 || lower < 0x61 || lower > 0x66) this.fail('a hexadecimal digit is missing');
    return lower - 0x57;
  }

  private fail(what: string): void {
    throw new Error('no JSON at byte ' + (this.at - this.start).toString() + ': ' + what);
  }
}

function isDigit(byte: i32): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** Units of UTF-16, for one string after another. */
class Units {
  private start: usize = 0;
  private capacity: i32 = 0;
  length: i32 = 0;

  private need(more: i32): void {
    const wanted = this.length + more;
    if (wanted <= this.capacity) return;
    this.capacity = max(wanted, this.capacity * 2);
    this.start = this.start == 0 ? heap.alloc(this.capacity << 1) : heap.realloc(this.start, this.capacity << 1);
  }

  push(unit: i32): void {
    this.need(1);
    store<u16>(this.start + ((<usize>this.length) << 1), <u16>unit);
    this.length++;
  }

  append(text: string): void {
    this.need(text.length);
    memory.copy(this.start + ((<usize>this.length) << 1), changetype<usize>(text), (<usize>text.length) << 1);
    this.length += text.length;
  }

  text(): string {
    return String.UTF16.decodeUnsafe(this.start, (<usize>this.length) << 1);
  }
}

const units = new Units();
