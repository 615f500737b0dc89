import { create as contentDisposition } from 'content-disposition';
import { Hono, type Context } from 'hono';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import { maySee } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { requestedRange } from '../byte-range.ts';
import { isKnownEtag } from '../is-known-etag.ts';
import { problem } from '../problem.ts';

/** Types that a browser may show in place; everything else, and all that can carry script, is a download. */
const SHOWN_INLINE =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)$/;

/** The bytes of managed resources. The name in the path is for people and for what they save; the id alone decides. */
export const resourceRoutes = (dependencies: Pick<AppDependencies, 'calls' | 'blobs'>) =>
  new Hono<AppEnvironment>()
    .get('/v1/resources/:id', (c) => serve(c, c.req.param('id'), dependencies))
    .get('/v1/resources/:id/:fileName', (c) => serve(c, c.req.param('id'), dependencies));

const serve = async (
  c: Context<AppEnvironment>,
  id: string,
  { calls, blobs }: Pick<AppDependencies, 'calls' | 'blobs'>,
): Promise<Response> => {
  const stored = await calls.getResource(id);
  const missing = () =>
    problem(c, {
      status: 404,
      code: 'NOT_FOUND',
      detail: `there is no resource "${id.slice(0, 64)}" that this key may see`,
    });
  if (stored === null || !maySee(c.get('identity'), stored.owner)) return missing();
  const { descriptor } = stored;
  if (descriptor.sha256 === null) {
    return problem(c, {
      status: 404,
      code: 'EXTERNAL_RESOURCE',
      detail: 'this resource is external and is not kept here; its descriptor has its URL',
    });
  }
  const sizeBytes = descriptor.sizeBytes ?? 0;
  const etag = `"${descriptor.sha256}"`;
  const headers = headersOf(descriptor, etag);
  if (isKnownEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  const ifRange = c.req.header('if-range');
  const range = ifRange !== undefined && ifRange !== etag ? 'whole' : requestedRange(c.req.header('range'), sizeBytes);
  if (range === 'unsatisfiable') {
    return problem(c, {
      status: 416,
      code: 'RANGE_NOT_SATISFIABLE',
      detail: `the resource has ${sizeBytes} bytes`,
      headers: { 'content-range': `bytes */${sizeBytes}` },
    });
  }
  const [status, sent, more] =
    range === 'whole'
      ? ([200, sizeBytes, {}] as const)
      : ([
          206,
          range.end - range.start + 1,
          { 'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}` },
        ] as const);
  const all = { ...headers, ...more, 'content-length': String(sent) };
  if (c.req.method === 'HEAD') return c.body(null, status, all);
  const body = await blobs.get(descriptor.sha256, range === 'whole' ? undefined : range);
  return body === null ? missing() : c.body(body, status, all);
};

const headersOf = (descriptor: ResourceDescriptor, etag: string): Record<string, string> => ({
  'content-type':
    /^text\/|json$|xml$/.test(descriptor.mimeType) && !descriptor.mimeType.includes(';')
      ? `${descriptor.mimeType}; charset=utf-8`
      : descriptor.mimeType,
  'content-disposition': contentDisposition(descriptor.fileName, {
    type: SHOWN_INLINE.test(descriptor.mimeType) ? 'inline' : 'attachment',
  }),
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  etag,
});
