import { DEFAULT_KEY_ID, type ApiKeyEntry, type RateLimit } from '../../../src/protocol/api-keys.ts';

/** What a key is worth now. */
export const keyState = (
  entry: Pick<ApiKeyEntry, 'expiresAt' | 'revokedAt'>,
  nowMs: number,
): 'active' | 'expired' | 'revoked' => {
  if (entry.revokedAt !== undefined) return 'revoked';
  return entry.expiresAt !== undefined && Date.parse(entry.expiresAt) <= nowMs ? 'expired' : 'active';
};

/** The keys as a table: one a line, the server's own first. */
export const keyTable = (defaultKey: boolean, keys: readonly ApiKeyEntry[], nowMs: number): string => {
  const rows = [
    ['ID', 'NAME', 'ROLES', 'TOOLS', 'RATE', 'STATE'],
    [DEFAULT_KEY_ID, 'default', 'all', 'all', '-', defaultKey ? 'active' : 'switched off'],
    ...keys.map((entry) => [
      entry.id,
      entry.name,
      entry.roles.join(','),
      entry.tools?.join(',') ?? 'all',
      ratesOf(entry),
      stateOf(entry, nowMs),
    ]),
  ].map((row) => row.map(oneLine));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};

const ratesOf = ({ rateLimit, toolRateLimits }: ApiKeyEntry): string => {
  const tools = Object.entries(toolRateLimits).map(([tool, rate]) => `${tool}=${rateText(rate)}`);
  return [...(rateLimit === null ? [] : [rateText(rateLimit)]), ...tools].join(',') || '-';
};

const rateText = ({ requests, windowSeconds }: RateLimit): string => `${requests}/${windowSeconds}s`;

const stateOf = (entry: ApiKeyEntry, nowMs: number): string => {
  const state = keyState(entry, nowMs);
  if (state === 'revoked') return `revoked ${entry.revokedAt}`;
  if (entry.expiresAt === undefined) return state;
  return `${state === 'expired' ? 'expired' : 'active until'} ${entry.expiresAt}`;
};

/** A name from a file that somebody edited may hold what would break the table, or steer a terminal. */
const oneLine = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ');
