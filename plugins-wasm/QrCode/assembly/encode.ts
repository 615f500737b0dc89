import { dataBytes, Level } from './capacity';
import { codewordsOf, dataOf } from './codewords';
import { penaltyOf } from './penalty';
import { Mode, Segment } from './segment';
import { QrSymbol } from './symbol';

export class Encoded {
  constructor(
    public readonly symbol: QrSymbol,
    public readonly level: Level,
    public readonly mode: Mode,
    public readonly mask: i32,
  ) {}
}

/** The smallest symbol that holds the text; null when none does. A higher level that costs no larger symbol is taken. */
export function encode(text: string, wantedLevel: Level, minVersion: i32): Encoded | null {
  const segment = new Segment(text);
  let version = minVersion;
  while (version <= 40 && !fits(segment, version, wantedLevel)) version++;
  if (version > 40) return null;
  let level = wantedLevel;
  while (level < Level.H && fits(segment, version, level + 1)) level++;

  const symbol = new QrSymbol(version, level);
  symbol.placeData(codewordsOf(dataOf(segment, version, level), version, level));
  let best = 0;
  let least = i32.MAX_VALUE;
  for (let mask = 0; mask < 8; mask++) {
    symbol.applyMask(mask);
    symbol.placeFormat(mask);
    const penalty = penaltyOf(symbol);
    if (penalty < least) {
      least = penalty;
      best = mask;
    }
    symbol.applyMask(mask);
  }
  symbol.applyMask(best);
  symbol.placeFormat(best);
  return new Encoded(symbol, level, segment.mode, best);
}

function fits(segment: Segment, version: i32, level: Level): bool {
  return segment.bitLength(version) <= dataBytes(version, level) * 8;
}
