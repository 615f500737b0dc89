import { createMiddleware } from 'hono/factory';
import type { Authenticator } from '../../ports/authenticator.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** RFC 6750. A request without a known key goes no further. */
export const bearerAuth = (authenticator: Authenticator) =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    const header = c.req.header('authorization');
    const key = header === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
    if (key === undefined) {
      return problem(c, {
        status: 401,
        code: 'UNAUTHORIZED',
        detail: 'this needs the header "Authorization: Bearer <key>"',
        headers: { 'www-authenticate': 'Bearer realm="vcp"' },
      });
    }
    const identity = await authenticator.authenticate(key);
    if (identity === null) {
      return problem(c, {
        status: 401,
        code: 'UNAUTHORIZED',
        detail: 'the key is not known to this server',
        headers: { 'www-authenticate': 'Bearer realm="vcp", error="invalid_token"' },
      });
    }
    c.set('identity', identity);
    return await next();
  });
