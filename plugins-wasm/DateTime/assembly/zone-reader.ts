import { ZONE_DATA } from './zone-data';

/** Reads the numbers and names of the table, as scripts/time-zones/encode-zones.ts describes them. */
export class ZoneReader {
  constructor(public at: i32 = 0) {}

  unsigned(): i64 {
    let value: i64 = 0;
    let shift = 0;
    while (true) {
      const byte = unchecked(ZONE_DATA[this.at++]);
      value |= (<i64>(byte & 0x7f)) << shift;
      if (byte < 0x80) return value;
      shift += 7;
    }
  }

  signed(): i64 {
    const value = this.unsigned();
    return (value & 1) == 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = <i32>this.unsigned();
    const text = String.UTF8.decodeUnsafe(changetype<usize>(ZONE_DATA) + this.at, length);
    this.at += length;
    return text;
  }
}
