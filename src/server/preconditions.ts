import type { Context } from 'hono';
import { isKnownEtag } from './is-known-etag.ts';

/** What a representation is told apart by: a strong tag, and when it came to be. */
export type Validators = {
  readonly etag: string;
  /** An HTTP date. What is served under an id never changes, so it is as strong as the tag. */
  readonly lastModified: string;
};

export type PreconditionOutcome = 'proceed' | 'not-modified' | 'failed';

/** The preconditions of a GET or HEAD, in the order of RFC 9110 §13.2.2; a date that is none is ignored. */
export const preconditionOutcome = (c: Context, { etag, lastModified }: Validators): PreconditionOutcome => {
  const ifMatch = c.req.header('if-match');
  if (ifMatch !== undefined) {
    if (!isStrongMatch(ifMatch, etag)) return 'failed';
  } else if (isAfter(lastModified, c.req.header('if-unmodified-since'))) return 'failed';

  const ifNoneMatch = c.req.header('if-none-match');
  if (ifNoneMatch !== undefined) return isKnownEtag(ifNoneMatch, etag) ? 'not-modified' : 'proceed';
  const since = c.req.header('if-modified-since');
  return since !== undefined && isAfter(lastModified, since) === false ? 'not-modified' : 'proceed';
};

/** Whether a `Range` counts: without `If-Range`, or when that names exactly what is served (RFC 9110 §13.1.5). */
export const isRangeCurrent = (ifRange: string | undefined, { etag, lastModified }: Validators): boolean => {
  if (ifRange === undefined) return true;
  const given = ifRange.trim();
  return given === etag || (!/^(W\/)?"/.test(given) && httpDate(given) === httpDate(lastModified));
};

const isStrongMatch = (ifMatch: string, etag: string): boolean =>
  ifMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag === etag);

/** Null when the header is not there or holds no date. */
const isAfter = (lastModified: string, header: string | undefined): boolean | null => {
  const date = header === undefined ? null : httpDate(header);
  return date === null ? null : (httpDate(lastModified) as number) > date;
};

const httpDate = (text: string): number | null => {
  const time = /^[A-Z][a-z]{2,8},? /.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};
