import { describeUrl } from '../../../src/lib/url-policy.ts';
import type { GuardedFailure } from '../../../src/ports/guarded-fetch.ts';
import { failure } from '../../fetch/redirecting-fetch.ts';
import { BlockedAddress } from './checked-lookup.ts';
import { BadEncoding, BodyTooLarge } from './read-body.ts';

const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_NODATA', 'EAI_NONAME']);
const SLOW = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** An error of the network, or of our own checks inside a connection, as a failure. `stopped` is why the signal aborted. */
export const failureOf = (error: unknown, url: URL, stopped: 'timeout' | 'cancelled' | null): GuardedFailure => {
  const where = describeUrl(url);
  if (stopped === 'timeout') return failure('TIMEOUT', `${where} took too long to answer`, true);
  if (stopped === 'cancelled') return failure('CANCELLED', `the request to ${where} was cancelled`);
  const causes = causesOf(error);
  const blocked = causes.find((cause) => cause instanceof BlockedAddress);
  if (blocked !== undefined) return failure('BLOCKED_ADDRESS', blocked.message);
  const known = causes.find((cause) => cause instanceof BodyTooLarge || cause instanceof BadEncoding);
  if (known !== undefined)
    return failure(known instanceof BodyTooLarge ? 'TOO_LARGE' : 'INVALID_RESPONSE', `${where}: ${known.message}`);
  const codes = causes.map((cause) => (cause as NodeJS.ErrnoException).code ?? '');
  if (codes.some((code) => UNKNOWN_HOST.has(code))) return failure('UNKNOWN_HOST', `there is no host ${url.hostname}`);
  if (codes.some((code) => SLOW.has(code))) return failure('TIMEOUT', `${where} took too long to answer`, true);
  if (causes.some(({ name }) => name === 'HTTPParserError') || codes.some((code) => NOT_HTTP.has(code)))
    return failure('INVALID_RESPONSE', `${where} answered with what is not HTTP, or with too large headers`);
  const code = codes.find((text) => text !== '') ?? 'unknown';
  // A certificate that does not hold today does not hold on the next try.
  const isTls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
  return failure('CONNECTION_FAILED', `the connection to ${where} failed (${code})`, !isTls);
};

/** The error, what caused it, and what an AggregateError of several attempts holds. */
const causesOf = (error: unknown): Error[] => {
  const found: Error[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!(value instanceof Error) || depth > 5) return;
    found.push(value);
    visit(value.cause, depth + 1);
    if (value instanceof AggregateError) for (const one of value.errors) visit(one, depth + 1);
  };
  visit(error, 0);
  return found;
};
