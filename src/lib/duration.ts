const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of a duration as people write it (`90s`, `5m`, `12h`, `30d`, `2w`; a bare unit is one of it), or null. */
export const secondsOf = (text: string): number | null => {
  const [, count, unit = ''] = /^(\d{1,9})?([smhdw])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  return seconds === undefined ? null : (count === undefined ? 1 : Number(count)) * seconds;
};

/** Milliseconds as `secondsOf` reads them, in the largest unit that tells them exactly: `24h`, `90s`. */
export const writtenDuration = (ms: number): string => {
  const [unit = 's', count = 1] = WRITTEN.find(([, seconds]) => ms % (seconds * 1_000) === 0) ?? [];
  return `${ms / (count * 1_000)}${unit}`;
};

const WRITTEN = [
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Milliseconds as people read them: `4.2 s`, `3:05`, `1:02:03`. */
export const formatDuration = (ms: number): string => {
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const two = (part: number): string => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};
