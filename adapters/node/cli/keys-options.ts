import { secondsOf } from '../../../src/lib/duration.ts';
import { RateLimit } from '../../../src/protocol/api-keys.ts';
import { ToolName } from '../../../src/protocol/names.ts';
import { Timestamp } from '../../../src/protocol/timestamp.ts';
import { UsageError } from './exit.ts';

/** `60/60s`, `1000/1h`, `5/m`: so many requests in such a time. */
export const readRate = (option: string, text: string): RateLimit => {
  const slash = text.indexOf('/');
  const requests = /^\d+$/.test(text.slice(0, slash)) ? Number(text.slice(0, slash)) : null;
  const rate = RateLimit.safeParse({ requests, windowSeconds: secondsOf(text.slice(slash + 1)) });
  if (rate.success) return rate.data;
  throw new UsageError(
    `${option} ${text} must be requests in a time, such as 60/60s, 1000/1h or 5/m: 1 to 1000000 requests in 1 second to 31 days`,
  );
};

/** `Tool=10/60s`, each tool once. */
export const readToolRates = (given: readonly string[]): Record<string, RateLimit> => {
  const rates: Record<string, RateLimit> = {};
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--tool-rate ${pair} must be a tool and its rate, such as Weather=10/60s`);
    const tool = readToolName('--tool-rate', pair.slice(0, equals));
    if (Object.hasOwn(rates, tool)) throw new UsageError(`--tool-rate gives ${tool} twice`);
    rates[tool] = readRate('--tool-rate', pair.slice(equals + 1));
  }
  return rates;
};

export const readToolName = (option: string, text: string): string => {
  const name = ToolName.safeParse(text);
  if (name.success) return name.data;
  throw new UsageError(`${option} "${text}" is not a tool’s name: it ${name.error.issues[0]?.message}`);
};

/** A moment that is still to come: `30d` from now, a date (its first moment, UTC), or an RFC 3339 date and time. */
export const readExpiry = (text: string, nowMs: number): string => {
  const seconds = secondsOf(text);
  const written = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const atMs =
    seconds !== null
      ? nowMs + seconds * 1_000
      : Timestamp.safeParse(written).success
        ? Date.parse(written)
        : Number.NaN;
  if (Number.isNaN(new Date(atMs).getTime())) {
    throw new UsageError(
      `--expires ${text} must be a time from now (12h, 30d), a date (2027-01-31) or an RFC 3339 date and time`,
    );
  }
  if (atMs <= nowMs) throw new UsageError(`--expires ${text} is in the past`);
  return new Date(atMs).toISOString();
};
