import { Zone } from './zone';
import { ZoneReader } from './zone-reader';

const MOST_SUGGESTIONS = 5;

/** A zone by its name, in capitals or not; `UTC` and offsets such as `+05:30` are zones too. Null when there is none. */
export function findZone(name: string): Zone | null {
  const wanted = name.toLowerCase();
  if (wanted == 'utc' || wanted == 'z' || wanted == 'gmt') return Zone.fixed(0, 'UTC');
  const offset = offsetOf(name);
  if (offset != NO_OFFSET) return Zone.fixed(offset, offsetText(offset));
  const reader = new ZoneReader();
  let found = '';
  let number = -1;
  for (let count = reader.unsigned(); count > 0; count--) {
    const each = reader.text();
    const itsNumber = <i32>reader.unsigned();
    if (number >= 0 || each.toLowerCase() != wanted) continue;
    found = each;
    number = itsNumber;
  }
  if (number < 0) return null;
  reader.unsigned();
  for (let before = 0; before < number; before++) {
    const length = <i32>reader.unsigned();
    reader.at += length;
  }
  reader.unsigned();
  return Zone.read(found, reader);
}

/** Names that have the wanted one, or its last part, in them. */
export function similarZones(name: string): Array<string> {
  const wanted = name.toLowerCase().replaceAll(' ', '_');
  const lastPart = wanted.substring(wanted.lastIndexOf('/') + 1);
  const similar = new Array<string>();
  if (lastPart.length < 2) return similar;
  const reader = new ZoneReader();
  for (let count = reader.unsigned(); count > 0; count--) {
    const each = reader.text();
    reader.unsigned();
    if (similar.length < MOST_SUGGESTIONS && each.toLowerCase().includes(lastPart)) similar.push(each);
  }
  return similar;
}

export const NO_OFFSET: i32 = i32.MAX_VALUE;

/** Seconds of `+05:30`, `-0800` or `+2`; NO_OFFSET when it is none. */
export function offsetOf(text: string): i32 {
  if (text.length < 2 || !'+-'.includes(text.charAt(0))) return NO_OFFSET;
  let digits = '';
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character == ':' && at == 3) continue;
    if (!'0123456789'.includes(character)) return NO_OFFSET;
    digits += character;
  }
  const isShort = digits.length <= 2;
  if (!isShort && digits.length != 4) return NO_OFFSET;
  const hours = <i32>parseInt(isShort ? digits : digits.substring(0, 2), 10);
  const minutes = isShort ? 0 : <i32>parseInt(digits.substring(2), 10);
  if (hours > 23 || minutes > 59) return NO_OFFSET;
  return (hours * 3600 + minutes * 60) * (text.charAt(0) == '-' ? -1 : 1);
}

/** `+05:30`; with seconds where there are some, as local mean times have. */
export function offsetText(offset: i32): string {
  const size = abs(offset);
  const seconds = size % 60;
  const minutes = ((size / 60) % 60).toString().padStart(2, '0');
  const tail = seconds == 0 ? '' : ':' + seconds.toString().padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${(size / 3600).toString().padStart(2, '0')}:${minutes}${tail}`;
}
