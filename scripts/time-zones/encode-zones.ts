import type { ZoneRules } from './zone-rules.ts';

const HOUR = 3_600;

/**
 * Zones as bytes. Numbers are LEB128, signed ones as zigzag; a list begins with its length.
 *
 * - names: bytes of ASCII, then the number of the zone
 * - zones: length in bytes, then the list of offsets that it ever has (the first holds before all changes), the list of changes
 *   (time since the one before, number of the offset), the list of yearly rules (day, weekday, time, number of the offset)
 * - a time since the one before, the first since 1900, is in hours and even, or in seconds and odd, after doubling
 */
export const encodeZones = (zones: ReadonlyMap<string, ZoneRules>): number[] => {
  const numbers = new Map<string, number>();
  const bodies: number[][] = [];
  const names: number[] = [];
  for (const [name, rules] of zones) {
    const body = encodeZone(rules);
    const key = body.join(',');
    const number = numbers.get(key) ?? bodies.push(body) - 1;
    numbers.set(key, number);
    names.push(...unsigned(name.length), ...new TextEncoder().encode(name), ...unsigned(number));
  }
  return [
    ...unsigned(zones.size),
    ...names,
    ...unsigned(bodies.length),
    ...bodies.flatMap((body) => [...unsigned(body.length), ...body]),
  ];
};

const START = Date.UTC(1900, 0, 1) / 1_000;

const encodeZone = ({ offset, transitions, yearly }: ZoneRules): number[] => {
  const offsets = [
    ...new Set([offset, ...transitions.map((each) => each.offset), ...yearly.map((each) => each.offset)]),
  ];
  const numberOf = (wanted: number) => unsigned(offsets.indexOf(wanted));
  return [
    ...unsigned(offsets.length),
    ...offsets.flatMap(signed),
    ...unsigned(transitions.length),
    ...transitions.flatMap((each, index) => [
      ...elapsed(each.at - (transitions[index - 1]?.at ?? START)),
      ...numberOf(each.offset),
    ]),
    ...unsigned(yearly.length),
    ...yearly.flatMap(({ day, weekday, time, offset: to }) => [
      ...unsigned(day),
      ...unsigned(weekday),
      ...unsigned(time),
      ...numberOf(to),
    ]),
  ];
};

const elapsed = (seconds: number): number[] =>
  seconds % HOUR === 0 ? unsigned((seconds / HOUR) * 2) : unsigned(seconds * 2 + 1);

const signed = (value: number): number[] => unsigned(value < 0 ? -2 * value - 1 : 2 * value);

const unsigned = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
};
