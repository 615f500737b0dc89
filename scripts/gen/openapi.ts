import { z } from 'zod';
import '../../src/protocol/index.ts';
import { ApprovalsQuery } from '../../src/server/routes/approvals.ts';
import { CollectionBody, CollectionQuery } from '../../src/server/routes/collections.ts';
import { CallQuery } from '../../src/server/routes/human-tool.ts';
import { RecordsQuery } from '../../src/server/routes/records.ts';
import { EventsQuery } from '../../src/server/routes/events.ts';
import { ResultQuery } from '../../src/server/routes/results.ts';
import { ScheduleRunsQuery, SchedulesQuery } from '../../src/server/routes/schedules.ts';
import { TaskEventsQuery, TasksQuery } from '../../src/server/routes/tasks.ts';
import { ToolsQuery } from '../../src/server/routes/tools.ts';
import { UploadQuery } from '../../src/server/routes/uploads.ts';
import { CHAT_OPERATIONS, CHAT_SCHEMAS } from './openapi-chat.ts';
import { INBOX_OPERATIONS } from './openapi-inbox.ts';
import { json, ref, type Answer, type Operation } from './openapi-operation.ts';
import { BODY_EXAMPLES, PROBLEM_DESCRIPTIONS, PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { VIEW_SCHEMAS } from './openapi-views.ts';

/** What answers to keys with a rate limit carry, and `Retry-After`, which says after a 429 when to come again. */
const RATE_HEADERS: Readonly<Record<string, object>> = {
  'RateLimit-Policy': {
    description: 'The limits: `q` requests in `w` seconds, of the key and, on a call, of the tool.',
    schema: { type: 'string', examples: ['"key";q=60;w=60, "tool";q=10;w=60'] },
  },
  RateLimit: {
    description: 'Where they stand: `r` requests remain, and in `t` seconds there is one more.',
    schema: { type: 'string', examples: ['"key";r=59;t=1, "tool";r=9;t=6'] },
  },
  'RateLimit-Limit': { description: 'Requests of the limit with the least left.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'What is left of it.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until there is one more.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

const headersOf = (headers: Readonly<Record<string, object>>) => (Object.keys(headers).length > 0 ? { headers } : {});

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The schema that a route itself validates its body with, where it has no document of its own. */
const bodyOf = (body: z.ZodObject): object => {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: 'input' });
  return schema;
};
const VIEWS = ['CanonicalToolResult', 'WorkflowValue', 'AiView', 'BridgeEnvelope', 'AuditView'];
const anyView = { anyOf: VIEWS.map(ref) };
const viewOrPart = { anyOf: [...VIEWS, 'ResultPart'].map(ref) };
const alive = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] };

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the call once for this API key, however often it is repeated with the same value: quoted or bare, 1 to 255 characters of printable ASCII.',
  schema: { type: 'string' },
};

const PREFER = {
  name: 'Prefer',
  in: 'header',
  description:
    'RFC 7240. `respond-async`: the call is answered `accepted` at once and goes on as a task. `wait=10`: seconds that the answer waits for an approval, where the call needs one.',
  schema: { type: 'string', examples: ['respond-async', 'respond-async, wait=10'] },
};

/** What makes an address one that needs no key. */
const SIGNATURE = ['exp', 'sig'].map((name) => ({
  name,
  in: 'query',
  description: 'With the other one, as a signed address has them: then no key is needed.',
  schema: { type: 'string' },
}));

const bytes = { '*/*': { type: 'string', format: 'binary' } };
const location = {
  Location: { description: 'Where it is served.', schema: { type: 'string', format: 'uri' } },
};

const CALLBACK_HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'Names this callback, 1 to 255 characters of printable ASCII; the same again when it is sent again.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Unix time in seconds, within five minutes of the server’s.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    description: 'Standard Webhooks, keyed by the token as text; looked at when it is there.',
    schema: { type: 'string' },
  },
];

/** What goes to the upstream, and what comes from it, as they are. */
const passed = { type: 'object', properties: { model: { type: 'string' } }, required: ['model'] };
const passedAnswer = { 'application/json': { type: 'object' }, 'text/event-stream': { type: 'string' }, ...bytes };
const relayed: Answer = { description: 'Any other answer of the upstream, as it is.', content: bytes };

const OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'health',
    summary: 'Whether the process is alive.',
    open: true,
    answer: { description: 'Alive.', content: json(alive) },
    problems: [],
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'ready',
    summary: 'Whether the server takes calls; an operator’s key is told why.',
    open: true,
    answer: { description: 'Ready.', content: json(ref('Readiness')) },
    others: { 503: { description: 'Not ready, or not any more.', content: json(ref('Readiness')) } },
    problems: [401, 429],
  },
  {
    method: 'get',
    path: '/version',
    operationId: 'version',
    summary: 'Version of the server and its protocol.',
    open: true,
    answer: { description: 'Versions.', content: json(ref('Version')) },
    problems: [],
  },
  {
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Figures of the server for Prometheus; for operators.',
    answer: { description: 'The text format.', content: { 'text/plain': { type: 'string' } } },
    problems: [401, 403, 404],
  },
  {
    method: 'get',
    path: '/docs',
    operationId: 'apiPage',
    summary: 'This document as a page for people.',
    open: true,
    answer: { description: 'The page.', content: { 'text/html': { type: 'string' } } },
    problems: [404],
  },
  {
    method: 'get',
    path: '/docs/{file}',
    operationId: 'apiPageFile',
    summary: 'A file of that page.',
    open: true,
    answer: { description: 'The file.', content: { '*/*': { type: 'string' } } },
    problems: [404],
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'This document.',
    answer: { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) },
    problems: [401],
  },
  {
    method: 'get',
    path: '/schemas/1.0',
    operationId: 'listSchemas',
    summary: 'Names of the JSON Schemas of the protocol.',
    open: true,
    answer: { description: 'Names.', content: json({ type: 'object' }) },
    problems: [],
  },
  {
    method: 'get',
    path: '/schemas/1.0/{name}',
    operationId: 'getSchema',
    summary: 'One JSON Schema of the protocol.',
    open: true,
    answer: { description: 'The schema.', content: { 'application/schema+json': { type: 'object' } } },
    problems: [404],
  },
  {
    method: 'get',
    path: '/v1/tools',
    operationId: 'listTools',
    summary: 'The tools that this key may call, with their schemas.',
    query: ToolsQuery,
    answer: { description: 'Tools.', content: json(ref('ToolListing')) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/tools/{tool}',
    operationId: 'getTool',
    summary: 'One tool.',
    answer: { description: 'The tool.', content: json(ref('ToolDescription')) },
    problems: [401, 404],
  },
  {
    method: 'get',
    path: '/v1/tools/{tool}/commands/{command}/ports',
    operationId: 'getPorts',
    summary: 'Inputs and outputs of a command, for workflow editors (§9.2).',
    answer: { description: 'Ports.', content: json(ref('CommandPorts')) },
    problems: [401, 404],
  },
  {
    method: 'get',
    path: '/v1/plugins',
    operationId: 'listPlugins',
    summary: 'Every plugin that was found, with its state; for operators.',
    answer: { description: 'Plugins.', content: json(ref('PluginListing')) },
    problems: [401, 403],
  },
  {
    method: 'post',
    path: '/v1/plugins/reload',
    operationId: 'reloadPlugins',
    summary:
      'Reads changed plugins and configuration now; for operators. Running calls end on the version they began with.',
    answer: { description: 'What changed.', content: json(ref('PluginReload')) },
    problems: [401, 403],
  },
  {
    method: 'patch',
    path: '/v1/plugins/{name}',
    operationId: 'switchPlugin',
    summary: 'Switches a plugin on or off, now and after a restart; for operators.',
    body: {
      'application/merge-patch+json': ref('PluginPatch'),
      'application/json': ref('PluginPatch'),
    },
    answer: { description: 'The plugin.', content: json(ref('PluginStatus')) },
    problems: [400, 401, 403, 404, 409, 413, 415],
  },
  {
    method: 'post',
    path: '/v1/human/tool',
    operationId: 'callTool',
    summary: 'Calls a tool.',
    description:
      'Answers with the result in the view that was asked for (§9.1). A failure of the tool is a 200 whose result says so. With `Accept: text/event-stream` the answer is a stream of `vcp_info` events (ProgressEvent), and an `approval` event (ApprovalSummary) where the call begins to wait for one, ended by one `result` event, or by a `problem` event (Problem, with `retryAfter`). An event `replayed` before the `result` says what `Idempotency-Replayed` says. What is refused before the call is under way is an ordinary problem. A call that needs a person’s approval waits for it for `approvalWaitMs`, and is then answered with an `accepted` result: it goes on as the task of that result.',
    query: CallQuery,
    headers: [IDEMPOTENCY_KEY, PREFER],
    body: {
      'application/json': ref('HumanToolRequest'),
      'text/plain': { type: 'string', description: 'One TOOL_REQUEST block.' },
    },
    answer: {
      description: 'The result.',
      content: {
        ...json(anyView),
        'text/event-stream': { type: 'string', description: 'Progress, then one result; see the summary.' },
      },
      headers: {
        'Preference-Applied': {
          description: 'There when the answer is the `accepted` one that `Prefer: respond-async` asked for.',
          schema: { const: 'respond-async' },
        },
        'Idempotency-Replayed': {
          description:
            'There when the result is that of an earlier or concurrent call with the same key; of a stream, when that is known before it begins.',
          schema: { const: 'true' },
        },
      },
    },
    problems: [400, 401, 403, 409, 413, 415, 422, 503],
  },
  {
    method: 'get',
    path: '/v1/results/{id}',
    operationId: 'getResult',
    summary: 'A stored result in any view, or a part of it.',
    query: ResultQuery,
    answer: { description: 'The view, or the part.', content: json(viewOrPart) },
    problems: [400, 401, 404],
  },
  {
    method: 'get',
    path: '/v1/records',
    operationId: 'listRecords',
    summary: 'Audit records of calls, newest first.',
    query: RecordsQuery,
    answer: { description: 'A page.', content: json(ref('RecordPage')) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/records/{id}',
    operationId: 'getRecord',
    summary: 'One audit record.',
    answer: { description: 'The record.', content: json(ref('CallRecord')) },
    problems: [401, 404],
  },
  {
    method: 'get',
    path: '/v1/approvals',
    operationId: 'listApprovals',
    summary: 'Calls that need a person’s approval, newest first: those of this key, for operators all.',
    query: ApprovalsQuery,
    answer: { description: 'A page.', content: json(ref('ApprovalListing')) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/approvals/{id}',
    operationId: 'getApproval',
    summary: 'One approval, with exactly what will run.',
    answer: { description: 'The approval.', content: json(ref('Approval')) },
    problems: [401, 404],
  },
  {
    method: 'post',
    path: '/v1/approvals/{id}',
    operationId: 'decideApproval',
    summary: 'Approves or rejects a call, once; for operators.',
    description:
      'The approved call is made once, as it was shown. A second decision is a 409 (`APPROVAL_DECIDED`), as is one on a call that nobody waits for any more (`APPROVAL_ABANDONED`); one that comes too late is a 410 (`APPROVAL_EXPIRED`).',
    body: json(ref('ApprovalDecision')),
    answer: { description: 'The approval as it stands now.', content: json(ref('Approval')) },
    problems: [400, 401, 403, 404, 409, 410, 413, 415],
  },
  {
    method: 'get',
    path: '/v1/tasks',
    operationId: 'listTasks',
    summary: 'Asynchronous tasks, newest first.',
    query: TasksQuery,
    answer: { description: 'A page.', content: json(ref('TaskListing')) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/tasks/{id}',
    operationId: 'getTask',
    summary: 'One task.',
    answer: { description: 'The task.', content: json(ref('TaskDescription')) },
    problems: [401, 404],
  },
  {
    method: 'get',
    path: '/v1/tasks/{id}/events',
    operationId: 'followTask',
    summary: 'Follows a task to its end.',
    description:
      'A stream of `task` events (TaskDescription), the first at once and another whenever something has changed, ended by one `result` event in the view that was asked for.',
    query: TaskEventsQuery,
    answer: {
      description: 'The events.',
      content: { 'text/event-stream': { type: 'string', description: 'States, then one result; see above.' } },
    },
    problems: [400, 401, 404],
  },
  {
    method: 'post',
    path: '/v1/tasks/{id}/cancel',
    operationId: 'cancelTask',
    summary: 'Cancels a task; one that was cancelled already is answered alike.',
    body: json(ref('TaskCancellation')),
    isBodyOptional: true,
    answer: { description: 'The cancelled task.', content: json(ref('TaskDescription')) },
    problems: [400, 401, 404, 409, 413, 415],
  },
  {
    method: 'post',
    path: '/plugin-callback/{pluginName}/{taskId}',
    operationId: 'callBack',
    summary: 'Ends a task, or tells of its progress; for asynchronous plugins.',
    description:
      'Takes the token of the task, not a key of the server. The same callback again is given the same answer. What is not valid is a 422 with pointers, and the task goes on.',
    security: 'callback',
    headers: CALLBACK_HEADERS,
    body: json(ref('Callback')),
    answer: { description: 'It was taken.', content: json(ref('CallbackReceipt')) },
    problems: [400, 401, 404, 409, 413, 415, 422, 429],
  },
  {
    method: 'post',
    path: '/v1/schedules',
    operationId: 'createSchedule',
    summary: 'Have a tool called later: once, or again and again.',
    description:
      'Tool, arguments and times are checked now, the rights of the key also at each run. The results of the runs are read like those of other calls.',
    body: json(ref('ScheduleRequest')),
    status: 201,
    answer: {
      description: 'The schedule.',
      content: json(ref('Schedule')),
      headers: { Location: { description: 'Its path.', schema: { type: 'string' } } },
    },
    problems: [400, 401, 403, 409, 413, 415, 503],
  },
  {
    method: 'get',
    path: '/v1/schedules',
    operationId: 'listSchedules',
    summary: 'Schedules, newest first.',
    query: SchedulesQuery,
    answer: { description: 'A page.', content: json(ref('ScheduleListing')) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/schedules/{id}',
    operationId: 'getSchedule',
    summary: 'One schedule, with a page of its runs, newest first.',
    query: ScheduleRunsQuery,
    answer: { description: 'The schedule and its runs.', content: json(ref('ScheduleDetails')) },
    problems: [400, 401, 404],
  },
  {
    method: 'delete',
    path: '/v1/schedules/{id}',
    operationId: 'cancelSchedule',
    summary: 'End a schedule; its runs stay readable, and one that goes on ends as it would.',
    answer: { description: 'The schedule, cancelled.', content: json(ref('Schedule')) },
    problems: [401, 404, 409],
  },
  {
    method: 'post',
    path: '/v1/resources',
    operationId: 'uploadResource',
    summary: 'Keep a file, for calls to be given.',
    description:
      'The body is the file, or a form with one file in it. What it is follows from its bytes, then `Content-Type`, then its name. Its name may also come as `Content-Disposition`.',
    query: UploadQuery,
    body: {
      'application/octet-stream': { type: 'string', format: 'binary' },
      'multipart/form-data': {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' } },
        required: ['file'],
      },
    },
    status: 201,
    answer: { description: 'What was kept.', content: json(ref('ResourceDescriptor')), headers: location },
    problems: [400, 401, 403, 413, 415],
  },
  {
    method: 'post',
    path: '/v1/resources/gc',
    operationId: 'collectGarbage',
    summary: 'Remove what has had its time; for operators.',
    description:
      'Results, records and uploads by the `VCP_LIMIT_RETAIN_*` settings, and bytes that no resource has any more. A running server does so by itself, too.',
    query: CollectionQuery,
    body: json(bodyOf(CollectionBody)),
    isBodyOptional: true,
    answer: { description: 'What was removed, or would be.', content: json(ref('CollectionReport')) },
    problems: [400, 401, 403, 413, 415],
  },
  {
    method: 'post',
    path: '/v1/resources/{id}/links',
    operationId: 'linkResource',
    summary: 'Make an address that opens a resource without a key, for a time.',
    body: json(ref('ResourceLinkRequest')),
    isBodyOptional: true,
    status: 201,
    answer: {
      description: 'The descriptor with the signed address; `access.expiresAt` is its end.',
      content: json(ref('ResourceDescriptor')),
      headers: location,
    },
    problems: [400, 401, 404, 413, 415],
  },
  {
    method: 'get',
    path: '/v1/resources/{id}',
    operationId: 'getResource',
    summary: 'The bytes of a resource; HEAD, Range and conditional requests are understood.',
    description: 'With `exp` and `sig`, as a signed address has them, no key is needed.',
    headers: SIGNATURE,
    answer: { description: 'The bytes.', content: bytes },
    others: { 206: { description: 'The part that Range asks for.', content: bytes } },
    problems: [401, 403, 404, 410, 412, 416],
  },
  {
    method: 'get',
    path: '/v1/resources/{id}/{fileName}',
    operationId: 'getNamedResource',
    summary: 'The same, under a name to save it by.',
    headers: SIGNATURE,
    answer: { description: 'The bytes.', content: bytes },
    others: { 206: { description: 'The part that Range asks for.', content: bytes } },
    problems: [401, 403, 404, 410, 412, 416],
  },
  {
    method: 'get',
    path: '/v1/ws',
    operationId: 'openSocket',
    summary: 'Events as they happen, over a WebSocket.',
    description:
      'Each message of the server is one event (VcpEvent) or one notice (PushNotice); a client may send PushRequest. The key is checked before the upgrade.',
    query: EventsQuery,
    status: 101,
    answer: { description: 'The connection is a WebSocket now.', content: {} },
    problems: [400, 401, 403, 426, 501, 503],
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'openEventStream',
    summary: 'The same events as a stream of server-sent events.',
    description:
      'The `event` of each is its type, its `id` that of the event; `subscribed` and `gap` are notices (PushNotice). `Last-Event-ID` goes before `lastEventId`.',
    query: EventsQuery,
    answer: { description: 'Events, without an end.', content: { 'text/event-stream': { type: 'string' } } },
    problems: [400, 401, 403, 503],
  },
  {
    method: 'post',
    path: '/v1/tickets',
    operationId: 'createTicket',
    summary: 'A ticket that opens `/v1/ws` or `/v1/events` once within a minute, for pages that can send no header.',
    status: 201,
    answer: { description: 'The ticket.', content: json(ref('EventTicket')) },
    problems: [401, 503],
  },
  {
    method: 'post',
    path: '/v1/embeddings',
    operationId: 'createEmbeddings',
    summary: 'Passes a request for a model on the white lists to the upstream, byte for byte, and its answer back.',
    body: json(passed),
    answer: { description: 'What the upstream answered.', content: passedAnswer },
    problems: [400, 401, 403, 413, 415, 502, 503, 504],
    relayed,
    problemSchema: 'ChatProblem',
  },
  {
    method: 'post',
    path: '/v1/images/generations',
    operationId: 'createImages',
    summary: 'The same for image models, with what the operator adds to requests and does with images.',
    body: json(passed),
    answer: { description: 'What the upstream answered.', content: passedAnswer },
    problems: [400, 401, 403, 413, 415, 502, 503, 504],
    relayed,
    problemSchema: 'ChatProblem',
  },
];

/** What a receiver of callbacks serves of it. */
const OF_RECEIVER: ReadonlySet<string> = new Set([
  'health',
  'ready',
  'version',
  'callBack',
  'openSocket',
  'openEventStream',
  'createTicket',
]);

const OPERATIONS_OF_RECEIVER: readonly Operation[] = [
  ...OPERATIONS.filter(({ operationId }) => OF_RECEIVER.has(operationId)),
  ...INBOX_OPERATIONS,
];

/** The OpenAPI 3.1 document of the HTTP surface. Built once, by `npm run gen`. */
export const buildOpenApiDocument = (version: string): object =>
  documentOf(
    version,
    'Runs tools for AI agents, people and workflows: one call, one stored result, a view of it for every reader. Problems are RFC 9457; every answer has an `x-request-id`.',
    [...OPERATIONS, ...CHAT_OPERATIONS],
    { ...componentSchemas(), ...VIEW_SCHEMAS, ...CHAT_SCHEMAS },
  );

/** The same of a receiver of callbacks (docs/edge.md). */
export const buildReceiverDocument = (version: string): object =>
  documentOf(
    version,
    'Takes callbacks of asynchronous plugins for a server that may be away, which fetches them by the key of an operator. Problems are RFC 9457; every answer has an `x-request-id`.',
    OPERATIONS_OF_RECEIVER,
    namedBy(pathsOf(OPERATIONS_OF_RECEIVER), { ...componentSchemas(), ...VIEW_SCHEMAS }),
  );

/** The schemas that a part of a document refers to, and those that they refer to. */
const namedBy = (part: object, schemas: Readonly<Record<string, object>>): Record<string, object> => {
  const named = new Set<string>();
  const add = (from: object): void => {
    for (const [, name = ''] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/([^"/]+)/g)) {
      const schema = schemas[name];
      if (schema === undefined || named.has(name)) continue;
      named.add(name);
      add(schema);
    }
  };
  add(part);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => named.has(name)));
};

const documentOf = (
  version: string,
  description: string,
  operations: readonly Operation[],
  schemas: Readonly<Record<string, object>>,
): object => ({
  openapi: '3.1.0',
  info: { title: 'vcp-runtime', version, description, license: { name: 'MIT', identifier: 'MIT' } },
  tags: TAGS.filter(({ name }) => operations.some(({ path }) => tagOf(path) === name)).map(
    ({ name, description: said }) => ({
      name,
      description: said,
    }),
  ),
  paths: pathsOf(operations),
  components: {
    headers: RATE_HEADERS,
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key of this server, as `Authorization: Bearer <key>`.',
      },
      callback: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The token of a task, as `Authorization: VCP-Plugin <token>`.',
      },
    },
    schemas,
  },
});

/** Operations belong to the first tag whose paths theirs begins with. */
const TAGS = [
  { name: 'Calls', description: 'Run tools.', paths: ['/v1/human'] },
  {
    name: 'Chat',
    description: "Conversations with a model, in OpenAI's words.",
    paths: ['/v1/chat', '/v1/models', '/v1/interrupt'],
  },
  { name: 'Tools', description: 'What can be called.', paths: ['/v1/tools'] },
  { name: 'Schedules', description: 'Calls that are made later.', paths: ['/v1/schedules'] },
  {
    name: 'Results',
    description: 'What calls have left behind.',
    paths: ['/v1/results', '/v1/records', '/v1/resources'],
  },
  { name: 'Events', description: 'What happens, pushed.', paths: ['/v1/ws', '/v1/events', '/v1/tickets'] },
  {
    name: 'Tasks',
    description: 'Work that goes on after its call was answered.',
    paths: ['/v1/tasks', '/plugin-callback'],
  },
  { name: 'Inbox', description: 'Callbacks that wait for their server.', paths: ['/v1/inbox'] },
  { name: 'Models', description: 'Ask models.', paths: ['/v1/embeddings', '/v1/images'] },
  { name: 'Server', description: 'State and description of the server itself.', paths: ['/'] },
] as const;

const tagOf = (path: string): string =>
  TAGS.find(({ paths }) => paths.some((beginning) => path.startsWith(beginning)))?.name ?? 'Server';

const pathsOf = (operations: readonly Operation[]): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Record<string, object>)[operation.method] = describe(operation);
  }
  return paths;
};

const describe = (operation: Operation): object => {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = queryParameters(operation.query);
  const parameters = [...inPath, ...inQuery, ...(operation.headers ?? [])];
  const content = (types: Readonly<Record<string, object>>, more: Readonly<Record<string, object>> = {}) =>
    Object.fromEntries(
      Object.entries(types).map(([type, schema]) => [
        type,
        { schema, ...(more[type] === undefined ? {} : { examples: more[type] }) },
      ]),
    );
  // Who needs a key may have a limited one, and may send a wrong one once too often.
  const isLimited = operation.open !== true && operation.security === undefined;
  const rateFields = Object.keys(RATE_HEADERS).filter((name) => name !== 'Retry-After');
  const answer = (given: Answer) => ({
    description: given.description,
    ...headersOf({ ...given.headers, ...(isLimited ? headerRefs(rateFields) : {}) }),
    content: content(given.content),
  });
  const failure = (failed: number) => [
    String(failed),
    {
      description: PROBLEM_DESCRIPTIONS[failed] ?? 'A problem (RFC 9457).',
      ...(failed === 429 ? { headers: headerRefs(Object.keys(RATE_HEADERS)) } : {}),
      content: {
        'application/problem+json': {
          schema: ref(operation.problemSchema ?? 'Problem'),
          ...(PROBLEM_EXAMPLES[failed] === undefined || operation.problemSchema !== undefined
            ? {}
            : { example: PROBLEM_EXAMPLES[failed] }),
        },
      },
    },
  ];
  const problems = isLimited ? [...operation.problems, 429] : operation.problems;
  return {
    operationId: operation.operationId,
    tags: [tagOf(operation.path)],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: operation.open ? [] : [{ [operation.security ?? 'bearer']: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: operation.isBodyOptional !== true,
            content: content(operation.body, BODY_EXAMPLES[operation.operationId]),
          },
        }
      : {}),
    responses: {
      [operation.status ?? 200]: answer(operation.answer),
      ...Object.fromEntries(Object.entries(operation.others ?? {}).map(([status, other]) => [status, answer(other)])),
      ...Object.fromEntries(problems.map(failure)),
      ...(operation.relayed === undefined ? {} : { default: answer(operation.relayed) }),
    },
  };
};

const queryParameters = (query: z.ZodObject | undefined): object[] => {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' }) as {
    properties?: Record<string, { description?: string; type?: string }>;
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    // Several values stand in one text, separated by commas.
    ...(schema.type === 'array' ? { explode: false } : {}),
    schema,
  }));
};

/** The protocol's own schemas under their titles, with references rewritten to this document. */
const componentSchemas = (): Readonly<Record<string, object>> => {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => `#/components/schemas/${id}`, io: 'input' });
  const titles = new Map(
    Object.entries(schemas).map(([id, schema]) => [id, String((schema as { title?: string }).title ?? id)]),
  );
  const text = JSON.stringify(schemas).replaceAll(
    /#\/components\/schemas\/([a-z-]+)/g,
    (whole, id: string) => `#/components/schemas/${titles.get(id) ?? whole}`,
  );
  const renamed = JSON.parse(text) as Record<string, Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(renamed)
      .map(([id, schema]) => {
        delete schema['$schema'];
        delete schema['$id'];
        return [titles.get(id) as string, schema] as const;
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};
