/** A date and a time of day, as a calendar and a clock on the wall show them. */
export type WallTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

/**
 * The instant, in milliseconds since the epoch, at which the clocks of a zone show the time; null for a date that no
 * calendar has. A time that the clocks show twice is the first one; one that they leave out is as much later as they
 * are put forward.
 */
export const localInstant = (wall: WallTime, timeZone: string): number | null => {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const date = new Date(asUtc);
  const isReal = date.getUTCMonth() + 1 === wall.month && date.getUTCDate() === wall.day && wall.year >= 1_000;
  if (!isReal || wall.hour > 23 || wall.minute > 59 || wall.second > 59) return null;
  const offsets = [asUtc - DAY, asUtc + DAY].map((instant) => offsetAt(instant, timeZone));
  // Each offset that holds around the time is tried; the earliest instant that shows it is the first.
  const shown = offsets
    .map((offset) => asUtc - offset)
    .filter((instant) => offsetAt(instant, timeZone) === asUtc - instant);
  if (shown.length > 0) return Math.min(...shown);
  // In a gap: by the clocks as they were before it.
  return asUtc - (offsets[0] as number);
};

const DAY = 86_400_000;

/** Milliseconds that the clocks of the zone are ahead of UTC. */
const offsetAt = (instant: number, timeZone: string): number => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type as string, Number(value)]));
  const part = (name: string) => parts.get(name) ?? 0;
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(instant / 1_000) * 1_000;
};
