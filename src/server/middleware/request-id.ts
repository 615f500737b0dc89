import { createMiddleware } from 'hono/factory';
import type { IdSource } from '../../ports/id-source.ts';
import { RequestId } from '../../protocol/ids.ts';
import type { AppEnvironment } from '../app-environment.ts';

/** Every request has an id, the caller's own when it is of our form, and every answer repeats it. */
export const requestId = (ids: IdSource) =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    const given = c.req.header('x-request-id');
    const id = given !== undefined && RequestId.safeParse(given).success ? given : ids.next('request');
    c.set('requestId', id);
    // Before the answer is made: changing its headers afterwards would have it built a second time.
    c.header('x-request-id', id);
    await next();
  });
