/** Names that are used in practice; the rest of HTML's two thousand is left as it stands. */
const NAMES = [
  'amp',
  'lt',
  'gt',
  'quot',
  'apos',
  'nbsp',
  'copy',
  'reg',
  'trade',
  'hellip',
  'mdash',
  'ndash',
  'lsquo',
  'rsquo',
  'ldquo',
  'rdquo',
  'laquo',
  'raquo',
  'bull',
  'middot',
  'euro',
  'pound',
  'yen',
  'cent',
  'sect',
  'para',
  'deg',
  'plusmn',
  'times',
  'divide',
  'frac12',
  'sup2',
  'micro',
  'larr',
  'rarr',
  'auml',
  'ouml',
  'uuml',
  'Auml',
  'Ouml',
  'Uuml',
  'szlig',
  'eacute',
  'egrave',
  'agrave',
  'ccedil',
  'ntilde',
  'iquest',
  'iexcl',
];
const CHARACTERS = '&<>"\'\u00a0©®™…—–‘’“”«»•·€£¥¢§¶°±×÷½²µ←→äöüÄÖÜßéèàçñ¿¡';
const LONGEST_NAME = 8;

export function toHtml(text: string): string {
  const parts = new Array<string>();
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const which = '&<>"\''.indexOf(text.charAt(at));
    if (which < 0) continue;
    parts.push(text.substring(from, at));
    parts.push(which == 4 ? '&#39;' : '&' + NAMES[which] + ';');
    from = at + 1;
  }
  parts.push(text.substring(from));
  return parts.join('');
}

/** What is no reference that we know stays as it is, as browsers do it. */
export function fromHtml(text: string): string {
  const parts = new Array<string>();
  let from = 0;
  while (true) {
    const start = text.indexOf('&', from);
    if (start < 0) {
      parts.push(text.substring(from));
      return parts.join('');
    }
    const end = text.substring(start, start + LONGEST_NAME + 2).indexOf(';') + start;
    const name = end < start ? '' : text.substring(start + 1, end);
    const character = name.startsWith('#') ? numbered(name.substring(1)) : named(name);
    parts.push(text.substring(from, start));
    if (character.length > 0) {
      parts.push(character);
      from = end + 1;
    } else {
      parts.push('&');
      from = start + 1;
    }
  }
}

function named(name: string): string {
  const at = NAMES.indexOf(name);
  return at < 0 ? '' : CHARACTERS.charAt(at);
}

function numbered(digits: string): string {
  const isHex = digits.startsWith('x') || digits.startsWith('X');
  const text = isHex ? digits.substring(1) : digits;
  if (text.length == 0) return '';
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = <i32>parseInt(text.charAt(at), 16);
    const isDigit = 'abcdefABCDEF0123456789'.includes(text.charAt(at)) && (isHex || digit < 10);
    if (!isDigit) return '';
    value = value * (isHex ? 16 : 10) + digit;
  }
  if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(value);
}
