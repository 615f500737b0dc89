/** Whether a client that sent this `If-None-Match` has what the tag stands for; compared weakly (RFC 9110 §13.1.2). */
export const isKnownEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
