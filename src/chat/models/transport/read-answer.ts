import type { JsonBounds } from '../../../lib/check-json-value.ts';
import { isJsonObject } from '../../../lib/is-json-object.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { looksLikeMarkup, toldError } from './refused-answer.ts';
import { safeMessage } from './safe-message.ts';
import { vendorErrorOf } from './vendor-error.ts';

/** The object in a text of an upstream; `what` it is. Throws what is wrong with it, and the error that it tells of. */
export const readAnswer = (text: string, what: string, key: string | null, bounds: JsonBounds): JsonObject => {
  const parsed = parseJson(text, bounds);
  if (!parsed.ok) {
    const why = looksLikeMarkup(text) ? 'is a web page; VCP_UPSTREAM_URL may be wrong' : parsed.issue.message;
    throw invalidAnswer(`${what} of the upstream ${safeMessage(why, key)}`);
  }
  const value = parsed.value as JsonValue;
  const told = vendorErrorOf(value);
  if (told !== null) throw toldError(told, { key });
  if (!isJsonObject(value)) throw invalidAnswer(`${what} of the upstream is no JSON object`);
  return value;
};

const invalidAnswer = (message: string): UpstreamError =>
  new UpstreamError({ code: 'UPSTREAM_INVALID_ANSWER', message });
