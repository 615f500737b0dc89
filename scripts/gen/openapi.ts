import { z } from 'zod';
import '../../src/protocol/index.ts';
import { CollectionBody, CollectionQuery } from '../../src/server/routes/collections.ts';
import { CallQuery } from '../../src/server/routes/human-tool.ts';
import { RecordsQuery } from '../../src/server/routes/records.ts';
import { ResultQuery } from '../../src/server/routes/results.ts';
import { ToolsQuery } from '../../src/server/routes/tools.ts';
import { UploadQuery } from '../../src/server/routes/uploads.ts';
import { BODY_EXAMPLES, PROBLEM_DESCRIPTIONS, PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { VIEW_SCHEMAS } from './openapi-views.ts';

/** One operation of the HTTP surface, as the OpenAPI document describes it. */
type Operation = {
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly open?: true;
  /** The schema that the route itself validates its query with. */
  readonly query?: z.ZodObject;
  /** Headers that the operation reads beside the usual ones. */
  readonly headers?: readonly object[];
  readonly body?: Readonly<Record<string, object>>;
  readonly isBodyOptional?: true;
  /** 200 unless it is said. */
  readonly status?: number;
  readonly answer: Answer;
  /** Answers of other statuses that are no problems. */
  readonly others?: Readonly<Record<number, Answer>>;
  readonly problems: readonly number[];
};

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

type Answer = {
  readonly description: string;
  readonly content: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, object>>;
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': schema });
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
      'Answers with the result in the view that was asked for (§9.1). A failure of the tool is a 200 whose result says so. With `Accept: text/event-stream` the answer is a stream of `vcp_info` events (ProgressEvent), ended by one `result` event, or by a `problem` event (Problem, with `retryAfter`). An event `replayed` before the `result` says what `Idempotency-Replayed` says. What is refused before the call is under way is an ordinary problem.',
    query: CallQuery,
    headers: [IDEMPOTENCY_KEY],
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
];

/** The OpenAPI 3.1 document of the HTTP surface. Built once, by `npm run gen`. */
export const buildOpenApiDocument = (version: string): object => ({
  openapi: '3.1.0',
  info: {
    title: 'vcp-runtime',
    version,
    description:
      'Runs tools for AI agents, people and workflows: one call, one stored result, a view of it for every reader. Problems are RFC 9457; every answer has an `x-request-id`.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: TAGS.map(({ name, description }) => ({ name, description })),
  paths: pathsOf(OPERATIONS),
  components: {
    headers: RATE_HEADERS,
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key of this server, as `Authorization: Bearer <key>`.',
      },
    },
    schemas: { ...componentSchemas(), ...VIEW_SCHEMAS },
  },
});

/** Operations belong to the first tag whose paths theirs begins with. */
const TAGS = [
  { name: 'Calls', description: 'Run tools.', paths: ['/v1/human'] },
  { name: 'Tools', description: 'What can be called.', paths: ['/v1/tools'] },
  {
    name: 'Results',
    description: 'What calls have left behind.',
    paths: ['/v1/results', '/v1/records', '/v1/resources'],
  },
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
  const isLimited = operation.open !== true;
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
          schema: ref('Problem'),
          ...(PROBLEM_EXAMPLES[failed] === undefined ? {} : { example: PROBLEM_EXAMPLES[failed] }),
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
    ...(operation.open ? { security: [] } : { security: [{ bearer: [] }] }),
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
    },
  };
};

const queryParameters = (query: z.ZodObject | undefined): object[] => {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' }) as {
    properties?: Record<string, { description?: string }>;
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }));
};

/** The protocol's own schemas under their titles, with references rewritten to this document. */
const componentSchemas = (): object => {
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
