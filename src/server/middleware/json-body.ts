import type { ValidationTargets } from 'hono';
import { createMiddleware } from 'hono/factory';
import { zValidator } from '@hono/zod-validator';
import type { z } from 'zod';
import { issuesOf } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

/** Holds a JSON body to the bounds of `parseJson` before anything else parses it. Bodies of other types pass. */
export const boundedJson = (limits: Limits) =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    if (!isJson(c.req.header('content-type'))) return await next();
    const parsed = parseJson(await c.req.text(), limits);
    if (parsed.ok) return await next();
    return problem(c, {
      status: 400,
      code: 'INVALID_REQUEST',
      detail: `the body ${parsed.issue.pointer === '' ? '' : `at ${parsed.issue.pointer} `}${parsed.issue.message}`,
      issues: [parsed.issue],
    });
  });

export const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType.trim());

/** `zValidator` whose refusals are our problems, with a pointer for every fault. */
export const validated = <Target extends keyof ValidationTargets, Schema extends z.ZodType>(
  target: Target,
  schema: Schema,
) =>
  zValidator(target, schema, (result, c) => {
    if (result.success) return undefined;
    const issues = issuesOf(result.error);
    return problem(c, {
      status: 400,
      code: 'INVALID_REQUEST',
      detail: `the ${target === 'json' ? 'body' : target} is not valid: ${issues.map((issue) => `${issue.pointer || '(root)'} ${issue.message}`).join('; ')}`,
      issues,
    });
  });
