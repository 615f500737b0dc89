import { createMiddleware } from 'hono/factory';
import type { Problem } from '../../protocol/problem.ts';
import type { UpstreamError } from '../../ports/upstream-error.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { ProblemFacts } from '../problem.ts';

/** An error as OpenAI's libraries read it. */
export type OpenAiError = {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
};

/** Problems of these routes say what is wrong in OpenAI's words as well, in `error`. */
export const openAiErrors = () =>
  createMiddleware<AppEnvironment>(async (c, next) => {
    await next();
    if (c.get('isRelayed') === true) return;
    if (!(c.res.headers.get('content-type') ?? '').startsWith('application/problem+json')) return;
    const problem = (await c.res.json()) as Problem;
    c.res = new Response(JSON.stringify({ ...problem, error: openAiError(problem) }), c.res);
  });

/** Also what a stream says in the place of its end. */
export const openAiError = ({
  status,
  code,
  detail,
  errors,
}: Pick<Problem, 'status' | 'code' | 'detail' | 'errors'>): OpenAiError => ({
  message: detail,
  type: typeOf(status),
  code,
  param: errors?.[0]?.pointer ?? null,
});

const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** Why the model gave no answer, for the client of this server: what is the operator's affair is no fault of the client's. */
export const upstreamProblem = (error: UpstreamError): ProblemFacts => {
  const { code, message, retryAfterMs, pointer } = error;
  const seconds = retryAfterMs === null ? null : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return {
    status: STATUS[code] ?? 502,
    code,
    detail: message,
    ...(pointer === null ? {} : { issues: [{ pointer, message }] }),
    ...(seconds === null ? {} : { headers: { 'retry-after': String(seconds) } }),
  };
};

/** All others are a bad gateway's. */
const STATUS: Partial<Record<UpstreamError['code'], 400 | 404 | 429 | 503 | 504>> = {
  UPSTREAM_UNSUPPORTED: 400,
  UPSTREAM_REFUSED: 400,
  UPSTREAM_NOT_FOUND: 404,
  UPSTREAM_RATE_LIMITED: 429,
  UPSTREAM_OVERLOADED: 503,
  UPSTREAM_IDLE: 504,
  UPSTREAM_TIMEOUT: 504,
};
