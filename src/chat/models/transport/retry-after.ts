/**
 * Milliseconds that an answer asks to be left alone: `Retry-After` in seconds or as a date, or `retry-after-ms` as some
 * vendors send it. Null when it does not say, or says nothing that makes sense.
 */
export const retryAfterOf = (headers: Headers, nowMs: number): number | null => {
  const precise = headers.get('retry-after-ms');
  if (precise !== null && /^\d{1,12}(?:\.\d+)?$/.test(precise)) return Math.ceil(Number(precise));
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  // A date begins with the day of the week; Date.parse takes numbers for years.
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
};
