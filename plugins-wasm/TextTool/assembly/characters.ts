/** Letters, digits and marks, as far as can be told without the tables of Unicode: what is no sign and no space. */
export function isWordCharacter(point: i32): bool {
  if (point < 0x80) return isDigit(point) || isLatin(point);
  if (point < 0xc0) return point == 0xaa || point == 0xb5 || point == 0xba;
  if (point == 0xd7 || point == 0xf7) return false;
  // General punctuation up to the miscellaneous technical and arrow signs, CJK and full-width punctuation, pictures.
  if (point >= 0x2000 && point <= 0x2bff) return false;
  if (point >= 0x3000 && point <= 0x3004) return false;
  if (point >= 0x3008 && point <= 0x3020) return false;
  if (point >= 0xff00 && point <= 0xff0f) return false;
  if (point >= 0xff1a && point <= 0xff20) return false;
  if (point >= 0xff3b && point <= 0xff40) return false;
  if (point >= 0xff5b && point <= 0xff65) return false;
  return point < 0x1f000 || point >= 0x20000;
}

/** Characters of scripts that put no spaces between words: each counts as a word. */
export function isIdeograph(point: i32): bool {
  return (
    (point >= 0x3400 && point <= 0x9fff) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0x3041 && point <= 0x30ff) ||
    (point >= 0x20000 && point <= 0x3ffff)
  );
}

export function isDigit(point: i32): bool {
  return point >= 0x30 && point <= 0x39;
}

function isLatin(point: i32): bool {
  const lower = point | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Space, tab, line ends, and the spaces of Unicode. */
export function isSpace(point: i32): bool {
  if (point == 0x20 || (point >= 0x09 && point <= 0x0d)) return true;
  if (point < 0x80) return false;
  return (
    point == 0x85 ||
    point == 0xa0 ||
    point == 0x1680 ||
    (point >= 0x2000 && point <= 0x200a) ||
    point == 0x2028 ||
    point == 0x2029 ||
    point == 0x202f ||
    point == 0x205f ||
    point == 0x3000 ||
    point == 0xfeff
  );
}

/** One character, which may take two units. */
export function characterAt(text: string, at: i32): string {
  return text.codePointAt(at) > 0xffff ? text.substring(at, at + 2) : text.charAt(at);
}
