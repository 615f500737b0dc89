// What people see in the API page before they have written anything of their own. The tools are bundled ones.

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** Bodies to try, by operation and media type. */
export const BODY_EXAMPLES: Readonly<Record<string, Readonly<Record<string, Examples>>>> = {
  chat: {
    'application/json': {
      question: {
        summary: 'A question that a tool answers',
        value: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'What is 100 km/h in m/s?' }] },
      },
      native: {
        summary: 'With tools as functions of the vendor, and only one of them',
        value: {
          model: 'gpt-5-mini',
          messages: [{ role: 'user', content: 'What is 100 km/h in m/s?' }],
          vcp: { toolUse: 'native', tools: ['SciCalculator'] },
        },
      },
    },
  },
  callTool: {
    'application/json': {
      calculate: {
        summary: 'A calculation',
        value: { tool: 'SciCalculator', arguments: { expression: '100 km/h in m/s' } },
      },
      forModel: {
        summary: 'As a model reads it',
        value: { tool: 'SciCalculator', arguments: { expression: '2^100' }, options: { view: 'ai', timeoutMs: 5_000 } },
      },
      command: {
        summary: 'A tool with several commands',
        value: { tool: 'ScheduleManager', arguments: { command: 'ListSchedules' } },
      },
      failure: {
        summary: 'A failure, which is a result too',
        value: { tool: 'SciCalculator', arguments: { expression: '1 +' } },
      },
    },
    'text/plain': {
      block: {
        summary: 'A TOOL_REQUEST block',
        value:
          '<<<[TOOL_REQUEST]>>>\ntool_name:「始」SciCalculator「末」,\nexpression:「始」sqrt(2)「末」\n<<<[END_TOOL_REQUEST]>>>',
      },
    },
  },
  createSchedule: {
    'application/json': {
      once: {
        summary: 'Once',
        value: { tool: 'SciCalculator', arguments: { expression: '2^100' }, at: '2030-01-01T09:30:00+01:00' },
      },
      workdays: {
        summary: 'On workdays, until the end of the year',
        value: {
          tool: 'SciCalculator',
          arguments: { expression: '2^100' },
          cron: '30 9 * * MON-FRI',
          timeZone: 'Europe/Berlin',
          endAt: '2030-12-31T23:59:59Z',
          label: 'A daily power',
        },
      },
    },
  },
  createEmbeddings: {
    'application/json': {
      text: { summary: 'Two texts', value: { model: 'text-embedding-3-small', input: ['a fox', 'a hen'] } },
    },
  },
  createImages: {
    'application/json': {
      picture: { summary: 'A picture', value: { model: 'gpt-image-1', prompt: 'a fox in the snow', n: 1 } },
    },
  },
};

/** What each problem status means here; the document shows it beside the status. */
export const PROBLEM_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid; `errors` point at what is wrong.',
  401: 'No key, or one that the server does not know.',
  403: 'The key may not do this.',
  404: 'There is no such thing, or the key may not see it.',
  409: 'The call of this `Idempotency-Key` still runs, or its outcome is not known; or the task has ended, or its `webhook-id` was used; or the approval was decided already; or the key has too many schedules, or this one has ended; or the conversation was interrupted.',
  410: 'The signed address, or the time of the approval, has expired.',
  412: 'The resource is not the one that `If-Match` or `If-Unmodified-Since` asks for.',
  413: 'The body is larger than the server takes.',
  415: 'The body is of a type that the server does not read.',
  416: 'The range lies beyond the end of the resource.',
  422: 'This `Idempotency-Key` was used for another call; or a callback is not valid; or a message preprocessor that is required has failed.',
  426: 'The request does not ask for a WebSocket.',
  429: 'Too many requests, or too many wrong keys: wait as long as `Retry-After` says.',
  501: 'This server has no WebSockets.',
  502: 'The model behind the server cannot be reached, has failed, or does not take the key of this server; `code` says how.',
  503: 'The server is shutting down, takes no more connections, cannot tell what became of the call of this `Idempotency-Key`, or has no model to ask, or one that is overloaded.',
  504: 'The model behind the server took too long.',
};

const example = (status: number, title: string, code: string, detail: string, more: object = {}) => ({
  type: `urn:vcp:problem:${code.toLowerCase().replaceAll('_', '-')}`,
  title,
  status,
  detail,
  code,
  ...more,
});

/** A problem of each status, as the server words it. */
export const PROBLEM_EXAMPLES: Readonly<Record<number, object>> = {
  400: example(400, 'Bad Request', 'INVALID_REQUEST', 'the body is not valid: /tool is required', {
    errors: [{ pointer: '/tool', detail: 'is required' }],
  }),
  401: example(401, 'Unauthorized', 'UNAUTHORIZED', 'this needs the header "Authorization: Bearer <key>"'),
  403: example(403, 'Forbidden', 'FORBIDDEN', 'this key may not use the tool "SciCalculator"'),
  404: example(404, 'Not Found', 'NOT_FOUND', 'there is nothing of that id that this key may see'),
  410: example(410, 'Gone', 'LINK_EXPIRED', 'this address has expired; ask whoever gave it to you for a new one'),
  412: example(
    412,
    'Precondition Failed',
    'PRECONDITION_FAILED',
    'the resource is not the one that If-Match or If-Unmodified-Since asks for',
  ),
  413: example(413, 'Content Too Large', 'CONTENT_TOO_LARGE', 'a request body has at most 16.0 MiB'),
  415: example(
    415,
    'Unsupported Media Type',
    'UNSUPPORTED_MEDIA_TYPE',
    'send a JSON body (content-type: application/json) or one TOOL_REQUEST block (content-type: text/plain)',
  ),
  416: example(416, 'Range Not Satisfiable', 'RANGE_NOT_SATISFIABLE', 'the resource has 183920 bytes'),
  429: example(
    429,
    'Too Many Requests',
    'RATE_LIMITED',
    'the rate limit of this key is used up (600 in 3600 s); try again in 6 s',
  ),
  502: example(502, 'Bad Gateway', 'UPSTREAM_UNREACHABLE', 'the upstream cannot be reached (ECONNREFUSED)'),
  503: example(503, 'Service Unavailable', 'SHUTTING_DOWN', 'the server is shutting down and takes no new calls'),
  504: example(504, 'Gateway Timeout', 'UPSTREAM_TIMEOUT', 'the upstream took longer than 600000 ms'),
};
