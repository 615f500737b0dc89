import { z } from 'zod';
import '../../src/protocol/index.ts';
import { CallQuery } from '../../src/server/routes/human-tool.ts';
import { RecordsQuery } from '../../src/server/routes/records.ts';
import { ResultQuery } from '../../src/server/routes/results.ts';
import { ToolsQuery } from '../../src/server/routes/tools.ts';

/** One operation of the HTTP surface, as the OpenAPI document describes it. */
type Operation = {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly open?: true;
  /** The schema that the route itself validates its query with. */
  readonly query?: z.ZodObject;
  readonly body?: Readonly<Record<string, object>>;
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

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type Answer = { readonly description: string; readonly content: Readonly<Record<string, object>> };

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': schema });
// Views overlap: a canonical result is an object too.
const anyView = { anyOf: [ref('CanonicalToolResult'), ref('BridgeEnvelope'), { type: 'object' }] };

const OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'health',
    summary: 'Whether the process is alive.',
    open: true,
    answer: { description: 'Alive.', content: json({ type: 'object' }) },
    problems: [],
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'ready',
    summary: 'Whether the server takes calls.',
    open: true,
    answer: { description: 'Ready.', content: json({ type: 'object' }) },
    others: { 503: { description: 'Not ready, or not any more.', content: json({ type: 'object' }) } },
    problems: [],
  },
  {
    method: 'get',
    path: '/version',
    operationId: 'version',
    summary: 'Version of the server and its protocol.',
    open: true,
    answer: { description: 'Versions.', content: json({ type: 'object' }) },
    problems: [],
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
    method: 'post',
    path: '/v1/human/tool',
    operationId: 'callTool',
    summary:
      'Calls a tool and answers with the result in the view that was asked for (§9.1). A failure of the tool is a 200 whose result says so.',
    query: CallQuery,
    body: {
      'application/json': ref('HumanToolRequest'),
      'text/plain': { type: 'string', description: 'One TOOL_REQUEST block.' },
    },
    answer: { description: 'The result.', content: json(anyView) },
    problems: [400, 401, 403, 413, 415, 503],
  },
  {
    method: 'get',
    path: '/v1/results/{id}',
    operationId: 'getResult',
    summary: 'A stored result in any view, or a part of it.',
    query: ResultQuery,
    answer: { description: 'The view, or the part.', content: json(anyView) },
    problems: [400, 401, 404],
  },
  {
    method: 'get',
    path: '/v1/records',
    operationId: 'listRecords',
    summary: 'Audit records of calls, newest first.',
    query: RecordsQuery,
    answer: { description: 'A page.', content: json({ type: 'object' }) },
    problems: [400, 401],
  },
  {
    method: 'get',
    path: '/v1/records/{id}',
    operationId: 'getRecord',
    summary: 'One audit record.',
    answer: { description: 'The record.', content: json({ type: 'object' }) },
    problems: [401, 404],
  },
  {
    method: 'get',
    path: '/v1/resources/{id}',
    operationId: 'getResource',
    summary: 'The bytes of a resource; HEAD, Range and conditional requests are understood.',
    answer: { description: 'The bytes.', content: { '*/*': { type: 'string', format: 'binary' } } },
    problems: [401, 404, 416],
  },
  {
    method: 'get',
    path: '/v1/resources/{id}/{fileName}',
    operationId: 'getNamedResource',
    summary: 'The same, under a name to save it by.',
    answer: { description: 'The bytes.', content: { '*/*': { type: 'string', format: 'binary' } } },
    problems: [401, 404, 416],
  },
];

/** The OpenAPI 3.1 document of the HTTP surface. Built once, by `npm run gen`. */
export const buildOpenApiDocument = (version: string): object => ({
  openapi: '3.1.0',
  info: { title: 'vcp-runtime', version, license: { name: 'MIT', identifier: 'MIT' } },
  paths: pathsOf(OPERATIONS),
  components: {
    headers: RATE_HEADERS,
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: componentSchemas(),
  },
});

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
  const parameters = [...inPath, ...inQuery];
  const content = (types: Readonly<Record<string, object>>) =>
    Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));
  // Who needs a key may have a limited one, and may send a wrong one once too often.
  const isLimited = operation.open !== true;
  const rateFields = Object.keys(RATE_HEADERS).filter((name) => name !== 'Retry-After');
  const answer = (given: Answer) => ({
    description: given.description,
    ...(isLimited ? { headers: headerRefs(rateFields) } : {}),
    content: content(given.content),
  });
  const failure = (status: number) => [
    String(status),
    {
      description: 'A problem (RFC 9457).',
      ...(status === 429 ? { headers: headerRefs(Object.keys(RATE_HEADERS)) } : {}),
      content: { 'application/problem+json': { schema: ref('Problem') } },
    },
  ];
  const problems = isLimited ? [...operation.problems, 429] : operation.problems;
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(operation.open ? { security: [] } : { security: [{ bearer: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body ? { requestBody: { required: true, content: content(operation.body) } } : {}),
    responses: {
      200: answer(operation.answer),
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
