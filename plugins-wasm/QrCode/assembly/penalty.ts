import { QrSymbol } from './symbol';

/** How hard a symbol is to read (ISO/IEC 18004, 7.8.3): the mask with the least is taken. */
export function penaltyOf(symbol: QrSymbol): i32 {
  const size = symbol.size;
  let penalty = 0;
  let dark = 0;
  for (let line = 0; line < size; line++) {
    penalty += linePenalty(symbol, line, false) + linePenalty(symbol, line, true);
    for (let x = 0; x < size; x++) {
      const here = symbol.isDark(x, line);
      if (here) dark++;
      if (x + 1 == size || line + 1 == size) continue;
      const isBlock =
        here == symbol.isDark(x + 1, line) &&
        here == symbol.isDark(x, line + 1) &&
        here == symbol.isDark(x + 1, line + 1);
      if (isBlock) penalty += 3;
    }
  }
  const percent = (dark * 100) / (size * size);
  return penalty + (abs(percent - 50) / 5) * 10;
}

/** Runs of one colour, and what looks like a finder pattern, in one row or column. */
function linePenalty(symbol: QrSymbol, line: i32, isColumn: bool): i32 {
  let penalty = 0;
  let run = 0;
  let colour = false;
  // The last eleven modules, the newest lowest; what is outside is light.
  let recent = 0;
  const size = symbol.size;
  for (let at = 0; at < size + 4; at++) {
    const here = at < size && (isColumn ? symbol.isDark(line, at) : symbol.isDark(at, line));
    recent = ((recent << 1) | (here ? 1 : 0)) & 0x7ff;
    if (recent == 0b10111010000 || recent == 0b00001011101) penalty += 40;
    if (at >= size) continue;
    if (at > 0 && here == colour) {
      run++;
      if (run == 5) penalty += 3;
      else if (run > 5) penalty++;
    } else run = 1;
    colour = here;
  }
  return penalty;
}
