import { JsonReader } from './vcp-json-reader';
import { writeJson } from './vcp-json-writer';
import { TextWriter } from './vcp-text';

export enum JsonType {
  Null,
  Boolean,
  Number,
  String,
  Array,
  Object,
}

/**
 * Any JSON value. Reading what is not there, or is of another type, gives the fallback: arguments were checked against
 * the command's `inputSchema` before the plugin was called.
 */
export class Json {
  /** Of an array its elements, of an object its values, in the order of `keys`. */
  items: Array<Json> = EMPTY_ITEMS;
  keys: Array<string> = EMPTY_KEYS;

  private constructor(
    public readonly type: JsonType,
    public readonly number: f64,
    public readonly text: string,
  ) {}

  static null(): Json {
    return new Json(JsonType.Null, 0, '');
  }
  static boolean(value: bool): Json {
    return new Json(JsonType.Boolean, value ? 1 : 0, '');
  }
  /** NaN and the infinities, which JSON does not have, end the call. */
  static number(value: f64): Json {
    assertFinite(value, 'a number');
    return new Json(JsonType.Number, value, '');
  }
  /** As it was read: what is too large for 64 bits is infinite, and null when it is written. */
  static numberAsRead(value: f64): Json {
    return new Json(JsonType.Number, value, '');
  }
  static string(value: string): Json {
    return new Json(JsonType.String, 0, value);
  }
  static array(): Json {
    const array = new Json(JsonType.Array, 0, '');
    array.items = new Array<Json>();
    return array;
  }
  static object(): Json {
    const object = new Json(JsonType.Object, 0, '');
    object.items = new Array<Json>();
    object.keys = new Array<string>();
    return object;
  }

  /** A text, a number, a bool, a Json or an array of such, as JSON; null as JSON null. */
  static of<T>(value: T): Json {
    if (isNullable<T>()) return value === null ? Json.null() : Json.of<NonNullable<T>>(value!);
    if (isString<T>()) return Json.string(<string>value);
    if (isBoolean<T>()) return Json.boolean(<bool>value);
    if (isInteger<T>() || isFloat<T>()) return Json.number(<f64>value);
    if (isArray<T>()) {
      const array = Json.array();
      // @ts-ignore: it is an array here, which the types of editors cannot see
      for (let at = 0; at < value.length; at++) array.push(value[at]);
      return array;
    }
    return changetype<Json>(value);
  }

  /** Reads a JSON text. What is no JSON ends the call with an error that says where. */
  static parse(text: string): Json {
    const writer = new TextWriter();
    writer.text(text);
    return new JsonReader(writer.address, writer.length).read();
  }

  /** Reads JSON in UTF-8. What is no JSON ends the call with an error that says where. */
  static parseBytes(bytes: Uint8Array): Json {
    return new JsonReader(bytes.dataStart, bytes.length).read();
  }

  /** As JSON text. */
  stringify(): string {
    const writer = new TextWriter();
    writeJson(writer, this);
    return String.UTF8.decodeUnsafe(writer.address, writer.length);
  }

  /** Sets a property of an object: a text, a number, a bool, a Json or an array of such. */
  set<T>(key: string, value: T): Json {
    assert(this.type == JsonType.Object, 'only an object has properties');
    if (isFloat<T>()) assertFinite(<f64>value, `"${key}"`);
    const at = this.keys.indexOf(key);
    if (at >= 0) this.items[at] = Json.of<T>(value);
    else this.append(key, Json.of<T>(value));
    return this;
  }

  /** Adds a property that is known to be new, without looking for it. */
  append(key: string, value: Json): void {
    this.keys.push(key);
    this.items.push(value);
  }

  /** Appends to an array. */
  push<T>(value: T): Json {
    assert(this.type == JsonType.Array, 'only an array can be pushed to');
    this.items.push(Json.of<T>(value));
    return this;
  }

  /** Elements of an array or properties of an object. */
  get length(): i32 {
    return this.items.length;
  }

  get isNull(): bool {
    return this.type == JsonType.Null;
  }

  has(key: string): bool {
    return this.keys.includes(key);
  }

  /** A property; JSON null where there is none. */
  get(key: string): Json {
    const at = this.type == JsonType.Object ? this.keys.lastIndexOf(key) : -1;
    return at < 0 ? Json.null() : this.items[at];
  }

  /** An element; JSON null where there is none. */
  at(index: i32): Json {
    return this.type == JsonType.Array && <u32>index < <u32>this.items.length ? this.items[index] : Json.null();
  }

  getString(key: string, fallback: string = ''): string {
    const value = this.get(key);
    return value.type == JsonType.String ? value.text : fallback;
  }

  getNumber(key: string, fallback: f64 = 0): f64 {
    const value = this.get(key);
    return value.type == JsonType.Number ? value.number : fallback;
  }

  /** A whole number; what is beyond 32 bits becomes the nearest that is not. */
  getInteger(key: string, fallback: i32 = 0): i32 {
    return <i32>max(<f64>i32.MIN_VALUE, min(<f64>i32.MAX_VALUE, this.getNumber(key, fallback)));
  }

  getBoolean(key: string, fallback: bool = false): bool {
    const value = this.get(key);
    return value.type == JsonType.Boolean ? value.number != 0 : fallback;
  }

  /** The elements of an array; none where there is no array. */
  getItems(key: string): Array<Json> {
    const value = this.get(key);
    return value.type == JsonType.Array ? value.items : new Array<Json>();
  }
}

function assertFinite(value: f64, what: string): void {
  if (!isFinite(value)) throw new Error(`${what} is ${value}, which JSON cannot carry: look for a division by zero`);
}

// Shared by all values that have none, and never written to.
const EMPTY_ITEMS = new Array<Json>();
const EMPTY_KEYS = new Array<string>();
