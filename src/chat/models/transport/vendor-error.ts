import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';

/** What a vendor says of a failure, in a body or in an event of a stream. */
export type VendorError = {
  readonly message: string | null;
  /** `overloaded_error`, `insufficient_quota`, `RESOURCE_EXHAUSTED` … */
  readonly vendorCode: string | null;
  /** The HTTP status that it names or stands for, when no status line told. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
};

/** Errors of streams come without a status line: what their names would have had. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * The error in a vendor's JSON, or null when it is none: OpenAI's and Gemini's `{error: {…}}`, Anthropic's
 * `{type: "error", error: {…}}`, and the shorter forms of servers that imitate them.
 */
export const vendorErrorOf = (body: JsonValue): VendorError | null => {
  // Gemini wraps some of its errors into a list of one.
  const whole = Array.isArray(body) ? (body as readonly JsonValue[])[0] : body;
  if (!isJsonObject(whole)) return null;
  const { error } = whole;
  if (typeof error === 'string') return described(whole, whole['message'] ?? error);
  if (isJsonObject(error)) return described(error, error['message']);
  return whole['object'] === 'error' || whole['type'] === 'error' ? described(whole, whole['message']) : null;
};

const described = (error: JsonObject, message: JsonValue | undefined): VendorError => {
  const words = [error['status'], error['code'], error['type']].filter((word) => typeof word === 'string');
  const numbers = [error['code'], error['status']].filter((number) => typeof number === 'number');
  const known = words.map((word) => STATUS_OF[word]).find((status) => status !== undefined);
  return {
    message: typeof message === 'string' ? message : null,
    vendorCode: words[0] ?? null,
    status: numbers.find((number) => Number.isInteger(number) && number >= 400 && number < 600) ?? known ?? null,
    retryAfterMs: retryDelayOf(error['details']),
  };
};

/** Gemini's `google.rpc.RetryInfo`: `{"retryDelay": "34.5s"}` among the details. */
const retryDelayOf = (details: JsonValue | undefined): number | null => {
  if (!Array.isArray(details)) return null;
  for (const detail of details as readonly JsonValue[]) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : null;
    const seconds = typeof delay === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return null;
};
