import { floorDivide } from './calendar';
import { DAY_MS } from './moment';
import { Zone } from './zone';

/** How clocks came by a time: once, twice where they were put back, or not at all where they were put forward. */
export enum Occurrence {
  Once,
  Twice,
  Never,
}

/** What a reading of the clocks can mean. */
export class LocalTime {
  constructor(
    public readonly occurrence: Occurrence,
    /** The first of the two, or what the clocks before the gap would have shown it as. */
    public readonly earlier: i64,
    public readonly later: i64,
  ) {}

  /** As `disambiguation` says; the compatible choice is the first of two, and to go on by the length of a gap. */
  choose(disambiguation: string): i64 {
    if (disambiguation == 'earlier') return this.earlier;
    if (disambiguation == 'later') return this.later;
    return this.occurrence == Occurrence.Never ? this.later : this.earlier;
  }
}

/** The points in time at which the clocks of a zone show `local`, all in milliseconds. */
export function interpret(local: i64, zone: Zone): LocalTime {
  // No zone is more than a day from Greenwich, and no two changes come within two days.
  const before = <i64>zone.offsetAt(floorDivide(local - DAY_MS, 1000)) * 1000;
  const after = <i64>zone.offsetAt(floorDivide(local + DAY_MS, 1000)) * 1000;
  const first = local - before;
  const second = local - after;
  if (before == after) return new LocalTime(Occurrence.Once, first, first);
  const isFirst = isShown(first, local, zone);
  const isSecond = isShown(second, local, zone);
  if (isFirst && isSecond) return new LocalTime(Occurrence.Twice, first, second);
  if (isFirst) return new LocalTime(Occurrence.Once, first, first);
  if (isSecond) return new LocalTime(Occurrence.Once, second, second);
  return new LocalTime(Occurrence.Never, min(first, second), max(first, second));
}

function isShown(ms: i64, local: i64, zone: Zone): bool {
  return ms + <i64>zone.offsetAt(floorDivide(ms, 1000)) * 1000 == local;
}
