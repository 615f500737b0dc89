import type { JsonBounds } from '../../../lib/check-json-value.ts';
import { excerpt } from '../../../lib/excerpt.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import { faultOfStatus } from './fault-of-status.ts';
import { retryAfterOf } from './retry-after.ts';
import { safeMessage } from './safe-message.ts';
import { vendorErrorOf, type VendorError } from './vendor-error.ts';

export type RefusalContext = { readonly key: string | null; readonly nowMs: number };

/** What an answer with another status than 2xx says. `text` is its body, as far as it was read. */
export const refusedAnswer = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  text: string,
  { key, nowMs, bounds }: RefusalContext & { readonly bounds: JsonBounds },
): UpstreamError => {
  if (status >= 300 && status < 400)
    return new UpstreamError({
      code: 'UPSTREAM_INVALID_ANSWER',
      status,
      message: `the upstream answered ${status}, a redirect, which is not followed: it would carry the key elsewhere. VCP_UPSTREAM_URL has to be the address itself`,
    });
  const parsed = parseJson(text, bounds);
  const told = parsed.ok ? vendorErrorOf(parsed.value as JsonValue) : null;
  const vendorCode = shownCode(told, key);
  const { code, isRetryable } = faultOfStatus(status, vendorCode);
  const name = vendorCode === null ? '' : ` (${vendorCode})`;
  const said = told?.message ?? (looksLikeMarkup(text) ? 'a web page, not an answer of an API' : text);
  return new UpstreamError({
    code,
    status,
    vendorCode,
    isRetryable,
    retryAfterMs: retryAfterOf(headers, nowMs) ?? told?.retryAfterMs ?? null,
    message: `the upstream answered ${status}${name}${said.trim() === '' ? '' : `: ${safeMessage(said, key)}`}`,
  });
};

/** An error that came within an answer with status 200: as a body, or as an event of a stream. */
export const toldError = (told: VendorError, { key }: Pick<RefusalContext, 'key'>): UpstreamError => {
  const vendorCode = shownCode(told, key);
  const { code, isRetryable } = faultOfStatus(told.status ?? 500, vendorCode);
  const name = vendorCode === null ? '' : ` (${vendorCode})`;
  return new UpstreamError({
    code,
    status: told.status,
    vendorCode,
    isRetryable,
    retryAfterMs: told.retryAfterMs,
    message: `the upstream failed${name}: ${safeMessage(told.message ?? 'it does not say why', key)}`,
  });
};

/** Characters of a vendor's word for a fault that are kept. */
const CODE_CHARACTERS = 64;

const shownCode = (told: VendorError | null, key: string | null): string | null =>
  told?.vendorCode === undefined || told.vendorCode === null
    ? null
    : excerpt(safeMessage(told.vendorCode, key), CODE_CHARACTERS);

export const looksLikeMarkup = (text: string): boolean => text.trimStart().startsWith('<');
