/** Year, month, day; hour, minute, second; offset. The hour may follow a `T`, a space or, as many models write it, a `-`. */
const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T -](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?[ ]?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * A written time as `YYYY-MM-DDTHH:MM:SS` with `Z`, an offset or nothing behind it; null when it is none. A day alone
 * is its beginning.
 */
export const readTimelyContact = (text: string): string | null => {
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', zone = ''] =
    TIME.exec(text.trim()) ?? [];
  if (year === '') return null;
  const [date, time] = [
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    [hour, minute, second].map((part) => part.padStart(2, '0')).join(':'),
  ];
  const offset = zone.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const written = `${date}T${time}`;
  const instant = new Date(`${written}Z`);
  // The 31st of February and the hour 25 are no times; a date that rolls over is not the one that was written.
  const exists = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(written);
  return exists && !Number.isNaN(Date.parse(`${written}${offset === '' ? 'Z' : offset}`))
    ? `${written}${offset}`
    : null;
};
