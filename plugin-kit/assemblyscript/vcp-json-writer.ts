import { Json, JsonType } from './vcp-json';
import { TextWriter } from './vcp-text';

/** Writes a value as JSON. */
export function writeJson(writer: TextWriter, value: Json): void {
  switch (value.type) {
    case JsonType.Null:
      return writer.text('null');
    case JsonType.Boolean:
      return writer.text(value.number != 0 ? 'true' : 'false');
    case JsonType.Number:
      return writer.text(numberText(value.number));
    case JsonType.String:
      return writer.quoted(value.text);
    case JsonType.Array:
      return writeArray(writer, value.items);
    default:
      return writeObject(writer, value);
  }
}

function writeArray(writer: TextWriter, items: Array<Json>): void {
  writer.byte(0x5b);
  for (let at = 0; at < items.length; at++) {
    if (at > 0) writer.byte(0x2c);
    writeJson(writer, items[at]);
  }
  writer.byte(0x5d);
}

function writeObject(writer: TextWriter, value: Json): void {
  writer.byte(0x7b);
  for (let at = 0; at < value.keys.length; at++) {
    if (at > 0) writer.byte(0x2c);
    writer.quoted(value.keys[at]);
    writer.byte(0x3a);
    writeJson(writer, value.items[at]);
  }
  writer.byte(0x7d);
}

/** Whole numbers up to 2^53 have no point and no exponent. */
export function numberText(value: f64): string {
  if (!isFinite(value)) return 'null';
  if (value == Math.trunc(value) && Math.abs(value) <= 9007199254740992) return (<i64>value).toString();
  return value.toString();
}
