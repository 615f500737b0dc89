const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of a duration as people write it (`90s`, `5m`, `12h`, `30d`, `2w`; a bare unit is one of it), or null. */
export const secondsOf = (text: string): number | null => {
  const [, count, unit = ''] = /^(\d{1,9})?([smhdw])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  return seconds === undefined ? null : (count === undefined ? 1 : Number(count)) * seconds;
};
