import { Json, Payload, success } from 'vcp-plugin';
import { isDigit } from './characters';
import { splitLines } from './split-lines';

/** Two lines with the keys that they are compared by. */
class Line {
  constructor(
    public readonly text: string,
    public readonly key: string,
  ) {}
}

/** Trims, drops, sorts and turns round the lines of a text, in this order. */
export function lines(args: Json): Payload {
  const ignoreCase = args.getBoolean('ignoreCase');
  const all = splitLines(args.getString('text'));
  const kept = new Array<Line>();
  const seen = new Set<string>();
  for (let at = 0; at < all.length; at++) {
    const text = args.getBoolean('trim') ? all[at].trim() : all[at];
    if (args.getBoolean('removeEmpty') && text.trim().length == 0) continue;
    const key = ignoreCase ? text.toLowerCase() : text;
    if (args.getBoolean('unique')) {
      if (seen.has(key)) continue;
      seen.add(key);
    }
    kept.push(new Line(text, key));
  }
  const sort = args.getString('sort', 'none');
  if (sort == 'text') kept.sort((left, right) => compareText(left.key, right.key));
  else if (sort == 'natural') kept.sort((left, right) => compareNatural(left.key, right.key));
  else if (sort == 'length') kept.sort((left, right) => left.text.length - right.text.length);
  if (args.getBoolean('reverse')) kept.reverse();

  const texts = new Array<string>(kept.length);
  for (let at = 0; at < kept.length; at++) texts[at] = kept[at].text;
  const data = Json.object()
    .set('text', texts.join('\n') + (texts.length > 0 ? '\n' : ''))
    .set('lines', texts.length)
    .set('removed', all.length - texts.length);
  return success(data).summary(`${texts.length} of ${all.length} lines`);
}

/** By code points, so that it is the same everywhere. */
function compareText(left: string, right: string): i32 {
  const length = min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference != 0) return left.codePointAt(at) - right.codePointAt(at);
  }
  return left.length - right.length;
}

/** Numbers in a text by their value: "file 9" before "file 10". */
function compareNatural(left: string, right: string): i32 {
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    if (isDigit(left.charCodeAt(l)) && isDigit(right.charCodeAt(r))) {
      const leftEnd = endOfDigits(left, l);
      const rightEnd = endOfDigits(right, r);
      const difference = compareDigits(left, l, leftEnd, right, r, rightEnd);
      if (difference != 0) return difference;
      l = leftEnd;
      r = rightEnd;
      continue;
    }
    const a = left.codePointAt(l);
    const b = right.codePointAt(r);
    if (a != b) return a - b;
    // Equal, so that both take as many units.
    l += a > 0xffff ? 2 : 1;
    r += a > 0xffff ? 2 : 1;
  }
  const rest = left.length - l - (right.length - r);
  return rest != 0 ? rest : compareText(left, right);
}

function endOfDigits(text: string, from: i32): i32 {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Of any length, without ever being numbers, and without new texts: a sort compares very often. */
function compareDigits(left: string, leftStart: i32, leftEnd: i32, right: string, rightStart: i32, rightEnd: i32): i32 {
  let l = withoutZeros(left, leftStart, leftEnd);
  let r = withoutZeros(right, rightStart, rightEnd);
  if (leftEnd - l != rightEnd - r) return leftEnd - l - (rightEnd - r);
  while (l < leftEnd) {
    const difference = left.charCodeAt(l++) - right.charCodeAt(r++);
    if (difference != 0) return difference;
  }
  return 0;
}

function withoutZeros(text: string, start: i32, end: i32): i32 {
  let at = start;
  while (at + 1 < end && text.charCodeAt(at) == 0x30) at++;
  return at;
}
