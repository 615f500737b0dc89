import type { Hono } from 'hono';
import type { Logger } from '../ports/logger.ts';
import type { AppEnvironment } from './app-environment.ts';
import { INTERNAL_ERROR, problem } from './problem.ts';

/** What is answered where no route does: to a path that is none, and after a fault of ours. */
export const answerFaults = (app: Hono<AppEnvironment>, logger: Logger): void => {
  app.onError((error, c) => {
    if (c.req.raw.signal.aborted && isBrokenBody(error)) {
      // The client hung up while its request was read: no fault of ours, and nobody is there to read the answer.
      logger.debug('http.client-left', { requestId: c.get('requestId'), method: c.req.method, path: c.req.path });
      return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: 'the request broke off' });
    }
    logger.error('http.fault', {
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      fault: error.stack ?? error.message,
    });
    return problem(c, INTERNAL_ERROR);
  });
  app.notFound((c) =>
    problem(c, {
      status: 404,
      code: 'NOT_FOUND',
      detail: `there is nothing at ${c.req.method} ${c.req.path.slice(0, 200)}`,
    }),
  );
};

/** What reading a body raises when its sender goes away. */
const isBrokenBody = (error: Error & { code?: unknown }): boolean =>
  error.name === 'AbortError' ||
  error.code === 'ECONNRESET' ||
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' ||
  error instanceof TypeError;
