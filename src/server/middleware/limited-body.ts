import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { formatBytes } from '../../lib/bytes.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/**
 * Refuses bodies over the limit. A declared length is judged by its header, which servers hold the body to; only a
 * body of unknown length has to be counted as it comes, which costs every such request a stream of its own. Requests
 * that are exempt have a route that bounds what it reads.
 */
export const limitedBody = (maxBytes: number, isExempt: (c: Context<AppEnvironment>) => boolean = () => false) => {
  const counted = bodyLimit({ maxSize: maxBytes, onError: (c) => tooLarge(c) });
  const tooLarge = (c: Parameters<typeof problem>[0]) =>
    problem(c, {
      status: 413,
      code: 'CONTENT_TOO_LARGE',
      detail: `a request body has at most ${formatBytes(maxBytes)}`,
      // The rest of the body is not read, so nothing else can come through this connection.
      headers: { connection: 'close' },
    });
  return createMiddleware<AppEnvironment>(async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || isExempt(c)) return await next();
    const declared = c.req.header('content-length');
    if (declared === undefined || c.req.header('transfer-encoding') !== undefined) return await counted(c, next);
    return Number(declared) > maxBytes ? tooLarge(c) : await next();
  });
};
