import { createMiddleware } from 'hono/factory';
import { seesEverything } from '../access.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** After `bearerAuth`: what tells about the whole server is for operators and admins. */
export const operatorsOnly = () =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    if (seesEverything(c.get('identity'))) return await next();
    return problem(c, { status: 403, code: 'FORBIDDEN', detail: 'this needs a key of the role operator or admin' });
  });
