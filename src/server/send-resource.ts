import { create as contentDisposition } from 'content-disposition';
import type { Context } from 'hono';
import { charsetNamed, hasCharset } from '../lib/charset.ts';
import type { StoredResource } from '../ports/call-store.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { AppDependencies, AppEnvironment } from './app-environment.ts';
import { requestedRange } from './byte-range.ts';
import { cutStalled } from './cut-stalled.ts';
import { isRangeCurrent, preconditionOutcome, type Validators } from './preconditions.ts';
import { problem } from './problem.ts';

/** Types that a browser may show in place; everything else, and all that can carry script, is a download. */
const SHOWN_INLINE =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)$/;

export type SendDependencies = Pick<AppDependencies, 'blobs' | 'limits' | 'logger'>;

/** Seconds that a client may keep what it got with a key: what is under an id never changes. */
const KEPT_SECONDS = 365 * 24 * 60 * 60;

/**
 * Answers a GET or HEAD with the bytes of a resource that its sender may read: whole, in part, or not at all when the
 * client has them (RFC 9110 §13, §14). `keptSeconds` is for how long the client may keep the answer.
 */
export const sendResource = async (
  c: Context<AppEnvironment>,
  { descriptor, createdAt }: StoredResource,
  { blobs, limits, logger }: SendDependencies,
  keptSeconds: number = KEPT_SECONDS,
): Promise<Response> => {
  const { sha256 } = descriptor;
  if (sha256 === null) {
    const detail = 'this resource is external and is not kept here; its descriptor has its URL';
    return problem(c, { status: 404, code: 'EXTERNAL_RESOURCE', detail });
  }
  const sizeBytes = descriptor.sizeBytes ?? 0;
  const validators = { etag: `"${sha256}"`, lastModified: new Date(createdAt).toUTCString() };
  const headers = headersOf(descriptor, validators, keptSeconds);
  const outcome = preconditionOutcome(c, validators);
  if (outcome === 'not-modified') return c.body(null, 304, headers);
  if (outcome === 'failed') {
    const detail = 'the resource is not the one that If-Match or If-Unmodified-Since asks for';
    return problem(c, { status: 412, code: 'PRECONDITION_FAILED', detail });
  }
  // §14.2: for methods other than GET, Range has no meaning.
  if (c.req.method === 'HEAD') return c.body(null, 200, { ...headers, 'content-length': String(sizeBytes) });
  const range = isRangeCurrent(c.req.header('if-range'), validators)
    ? requestedRange(c.req.header('range'), sizeBytes)
    : 'whole';
  if (range === 'unsatisfiable') {
    return problem(c, {
      status: 416,
      code: 'RANGE_NOT_SATISFIABLE',
      detail: `the resource has ${sizeBytes} bytes`,
      headers: { 'content-range': `bytes */${sizeBytes}` },
    });
  }
  const body = await blobs.get(sha256, range === 'whole' ? undefined : range);
  if (body === null) {
    const detail = 'the bytes of this resource are not kept any more';
    return problem(c, { status: 404, code: 'NOT_FOUND', detail });
  }
  const sent = cutStalled(body, limits.downloadStallMs, () =>
    logger.info('http.download-stalled', { requestId: c.get('requestId'), resourceId: descriptor.id }),
  ) as ReadableStream<Uint8Array<ArrayBuffer>>;
  if (range === 'whole') return c.body(sent, 200, { ...headers, 'content-length': String(sizeBytes) });
  return c.body(sent, 206, {
    ...headers,
    'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
    'content-length': String(range.end - range.start + 1),
  });
};

const headersOf = (
  { mimeType, fileName, metadata }: ResourceDescriptor,
  { etag, lastModified }: Validators,
  keptSeconds: number,
): Record<string, string> => ({
  'content-type': hasCharset(mimeType)
    ? `${mimeType}; charset=${charsetNamed(metadata['charset']) ?? 'utf-8'}`
    : mimeType,
  // A lone half of a character has no percent-encoding.
  'content-disposition': contentDisposition(fileName.toWellFormed(), {
    type: SHOWN_INLINE.test(mimeType) ? 'inline' : 'attachment',
  }),
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control':
    keptSeconds === KEPT_SECONDS ? `private, max-age=${keptSeconds}, immutable` : `private, max-age=${keptSeconds}`,
  // Another key, or none, may not be given from a cache what this one may read. A link is for whoever has it.
  ...(keptSeconds === KEPT_SECONDS ? { vary: 'Authorization' } : {}),
  'accept-ranges': 'bytes',
  etag,
  'last-modified': lastModified,
});
