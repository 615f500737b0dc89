import { Hono, type Context } from 'hono';
import type { StaticAsset } from '../../ports/static-assets.ts';
import type { AppEnvironment, ServerDocuments } from '../app-environment.ts';
import { isKnownEtag } from '../is-known-etag.ts';
import { problem } from '../problem.ts';

/** The page at `/docs`, by its name among its files. */
const PAGE = 'page.html';

/**
 * The page and its files may load nothing but each other, and talk to nobody but this server; it can run no script of
 * another's, however such a script got into it. `data:` images are the icons in its style sheet.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page for people over the OpenAPI document. It is open; the document is not, so the page asks for the key. */
export const apiPageRoutes = ({ apiPage }: ServerDocuments) => {
  const answer = async (c: Context<AppEnvironment>, name: string): Promise<Response> => {
    const asset = (await apiPage?.get(name)) ?? null;
    if (asset === null) {
      return problem(c, { status: 404, code: 'NOT_FOUND', detail: `there is no page at ${c.req.path.slice(0, 200)}` });
    }
    return serve(c, asset);
  };
  return new Hono<AppEnvironment>()
    .get('/', (c) => c.redirect('/docs'))
    .get('/docs/', (c) => c.redirect('/docs'))
    .get('/docs', (c) => answer(c, PAGE))
    .get('/docs/:file', (c) => answer(c, c.req.param('file')));
};

const serve = (c: Context<AppEnvironment>, { bytes, mediaType, etag }: StaticAsset): Response => {
  const headers = {
    'content-type': mediaType,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Asked for again each time, and sent again only when it has changed.
    'cache-control': 'no-cache',
    etag,
  };
  if (isKnownEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  return c.body(bytes, 200, headers);
};
