import { QrSymbol } from './symbol';

/**
 * A symbol in half blocks, two modules one above the other for each character. `inverted` draws the light ones, for
 * light writing on a dark ground. The rows are one text with line breaks, which the AI view shows as a block.
 */
export function textOf(symbol: QrSymbol, quietZone: i32, inverted: bool): string {
  const lines = new Array<string>();
  const end = symbol.size + quietZone;
  for (let y = -quietZone; y < end; y += 2) {
    let line = '';
    for (let x = -quietZone; x < end; x++) {
      const upper = isDrawn(symbol, x, y) != inverted;
      const lower = y + 1 < end && isDrawn(symbol, x, y + 1) != inverted;
      line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }
    lines.push(line);
  }
  return lines.join('\n');
}

function isDrawn(symbol: QrSymbol, x: i32, y: i32): bool {
  return x >= 0 && y >= 0 && x < symbol.size && y < symbol.size && symbol.isDark(x, y);
}
