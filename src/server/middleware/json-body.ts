import type { MiddlewareHandler, ValidationTargets } from 'hono';
import { createMiddleware } from 'hono/factory';
import { zValidator } from '@hono/zod-validator';
import type { z } from 'zod';
import { issuesOf } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { problem } from '../problem.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Refuses a body that is not UTF-8, where reading it as text would put replacement characters in the bad places. */
export const utf8Body = () =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    const bytes = await c.req.arrayBuffer();
    let text: string;
    try {
      text = strictUtf8.decode(bytes);
    } catch {
      return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: 'the body is not valid UTF-8' });
    }
    // What was decoded here is what later readers get. (The type of the cache says `string`; its readers await it.)
    c.req.bodyCache = { text: Promise.resolve(text) as unknown as string };
    return await next();
  });

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

/** Refuses a body that is not JSON, and says what to send. */
export const jsonOnly =
  (example = 'send a JSON body'): MiddlewareHandler<AppEnvironment> =>
  async (c, next) => {
    if (isJson(c.req.header('content-type'))) return await next();
    const detail = `${example} (content-type: application/json)`;
    return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
  };

/** A request without a body asks for what is usual; a body that would not be looked at is refused. */
export const jsonOrNothing = (): MiddlewareHandler<AppEnvironment> => async (c, next) => {
  if (isJson(c.req.header('content-type')) || (await c.req.text()) === '') return await next();
  const detail = 'send a JSON body (content-type: application/json), or none';
  return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
};

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
