import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Issue } from '../lib/issue.ts';
import type { Problem } from '../protocol/problem.ts';

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export type ProblemFacts = {
  readonly status: ContentfulStatusCode;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what was wrong and what to do. */
  readonly detail: string;
  readonly issues?: readonly Issue[];
  readonly headers?: Record<string, string>;
};

/** What a client is told of a bug of ours. */
export const INTERNAL_ERROR: ProblemFacts = {
  status: 500,
  code: 'INTERNAL_ERROR',
  detail: 'the server met a fault of its own; its log has the details under this request id',
};

/** An RFC 9457 answer. */
export const problem = (c: Context, facts: ProblemFacts): Response =>
  c.body(JSON.stringify(problemBody(c, facts)), facts.status, {
    'content-type': 'application/problem+json',
    ...facts.headers,
  });

/** What an RFC 9457 answer says. `type` is a URN of the code, so that it names the kind of problem without a web page. */
export const problemBody = (c: Context, { status, code, detail, issues }: ProblemFacts): Problem => {
  const requestId = c.get('requestId') as string | undefined;
  return {
    type: `urn:vcp:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail,
    code,
    ...(requestId === undefined ? {} : { requestId }),
    ...(issues === undefined ? {} : { errors: issues.map(({ pointer, message }) => ({ pointer, detail: message })) }),
  };
};
