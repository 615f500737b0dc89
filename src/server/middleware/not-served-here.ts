import { createMiddleware } from 'hono/factory';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** Answers for routes that a runtime has not got, where `isServed` is false; `what` names them in the plural. */
export const servedOnlyIf = (isServed: boolean, what: string) =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    if (isServed) return await next();
    const detail = `this runtime has no ${what}; docs/capabilities.md says what each runtime has`;
    return problem(c, { status: 501, code: 'NOT_SERVED_HERE', detail });
  });
