import type { Hono } from 'hono';
import type { AppEnvironment } from './app-environment.ts';
import { problem } from './problem.ts';

/** RFC 9110 §15.5.6: a path that is there for other methods says which. Registered last, so that it is asked last. */
export const refuseOtherMethods = (app: Hono<AppEnvironment>): void => {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of app.routes) {
    if (method === 'ALL') continue;
    const allowed = methods.get(path) ?? new Set();
    allowed.add(method);
    if (method === 'GET') allowed.add('HEAD');
    methods.set(path, allowed);
  }
  for (const [path, allowed] of methods) {
    const allow = [...allowed].toSorted().join(', ');
    app.all(path, (c) =>
      problem(c, {
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        detail: `${c.req.path.slice(0, 200)} takes ${allow}, not ${c.req.method}`,
        headers: { allow },
      }),
    );
  }
};
