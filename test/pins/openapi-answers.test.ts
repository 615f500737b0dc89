// The document of the HTTP surface against the surface itself: every operation is asked, every answer held against
// the schema that the document gives for its status and type, by a validator that the server does not use.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPassThrough } from '../../src/chat/passthrough/pass-through.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { UpstreamError } from '../../src/ports/upstream-error.ts';
import { CallQuery } from '../../src/server/routes/human-tool.ts';
import { CollectionQuery } from '../../src/server/routes/collections.ts';
import { EventsQuery } from '../../src/server/routes/events.ts';
import { RecordsQuery } from '../../src/server/routes/records.ts';
import { ResultQuery } from '../../src/server/routes/results.ts';
import { ScheduleRunsQuery, SchedulesQuery } from '../../src/server/routes/schedules.ts';
import type { TransportTask } from '../../src/ports/transport.ts';
import { TaskEventsQuery, TasksQuery } from '../../src/server/routes/tasks.ts';
import { ToolsQuery } from '../../src/server/routes/tools.ts';
import { UploadQuery } from '../../src/server/routes/uploads.ts';
import { sampleApproval } from '../support/sample-approvals.ts';
import { acceptedAnswer, asyncManifest } from '../support/async-tool.ts';
import { createChatApp, finishBy, modelOf, say } from '../support/chat-app.ts';
import { createMemoryApp, success, type MemoryApp } from '../support/memory-runtime.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { base64Of, MAGIC, manifest } from '../support/sample-values.ts';

type Media = { readonly schema: object };
type Parameter = { readonly name: string; readonly in: string; readonly schema: Record<string, unknown> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security: readonly object[];
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content: Readonly<Record<string, Media>> }>
  >;
};
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const path = resolve(import.meta.dirname, '../../schemas/openapi.json');
const document = JSON.parse(readFileSync(path, 'utf8')) as Document;
const operations = new Map(
  Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation.operationId, { route, method, operation }]),
  ),
);
const operationOf = (id: string) => operations.get(id)!.operation;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');
const escaped = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** What is wrong with an answer by the document's own words. */
const faultsOf = async (id: string, response: Response): Promise<string[]> => {
  const { route, method, operation } = operations.get(id)!;
  const status = Object.hasOwn(operation.responses, String(response.status)) ? String(response.status) : 'default';
  const described = operation.responses[status];
  if (described === undefined) return [`${id}: ${response.status} is not described`];
  const type = (response.headers.get('content-type') ?? '').split(';')[0] as string;
  const key = Object.hasOwn(described.content, type) ? type : '*/*';
  if (!Object.hasOwn(described.content, key)) return [`${id}: ${response.status} is not described as ${type}`];
  if (key === '*/*') return [];
  const place = ['paths', route, method, 'responses', status, 'content', key, 'schema'];
  const validate = ajv.getSchema(`openapi#/${place.map(escaped).join('/')}`);
  const body: unknown = /[/+]json$/.test(type) ? await response.json() : await response.text();
  return validate?.(body) === true ? [] : [`${id}: ${response.status} ${JSON.stringify(validate?.errors)}`];
};

const post = (body: string, type = 'application/json', more: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': type, ...more },
  body,
});
const patch = (body: string, as = 'operator', more: Record<string, string> = {}) => ({
  method: 'PATCH',
  as,
  headers: { 'content-type': 'application/merge-patch+json', ...more },
  body,
});
const picture = { id: 'p', fileName: 'p.png', base64: base64Of(MAGIC.png) };
/** An upstream that answers what it is told to by the model's own fields. */
const passThrough = createPassThrough(
  {
    VCP_UPSTREAM_URL: 'http://upstream.test/v1',
    VCP_UPSTREAM_KIND: 'openai',
    VCP_MODEL_REDIRECTS: [],
    VCP_WHITELIST_EMBEDDING_MODELS: ['e'],
    VCP_WHITELIST_IMAGE_MODELS: ['i'],
    VCP_IMAGE_REQUEST_ADDITIONS: {},
    VCP_IMAGE_RESPONSES: 'untouched',
  },
  {
    fetch: async (_, { body }) => {
      const { status } = (await new Response(body ?? null).json()) as { status?: number };
      if (status === 504) throw new UpstreamError({ code: 'UPSTREAM_TIMEOUT', message: 'too slow' });
      return Response.json({ data: [] }, { status: status ?? 200 });
    },
    clock: { now: () => 0, monotonic: () => 0 },
    limits: DEFAULT_LIMITS,
    logger: silentLogger,
  },
);
const html = { bytes: new Uint8Array(), mediaType: 'text/html; charset=utf-8', etag: '"e"' };
const onePage = { get: async (name: string) => (name === 'page.html' ? html : null) };
/** A model whose name says how it fails. */
const failing = modelOf(function* ({ model }) {
  if (model.startsWith('UPSTREAM_')) throw new UpstreamError({ code: model as UpstreamError['code'], message: 'no' });
  yield say('hello');
  yield finishBy('stop');
  yield { type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
});
const chat = (model: string, more: object = {}) =>
  post(JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }));
const app = () =>
  createChatApp(failing, {
    manifests: [manifest(), manifest({ name: 'Other' }), asyncManifest({ name: 'Painter' }), { name: 'Broken' }],
    limits: { requestBodyBytes: 10_000, resourceBytes: 20_000, schedulesPerOwner: 2 },
    app: {
      ...(passThrough === null ? {} : { passThrough }),
      documents: {
        load: () => ({ openapi: { openapi: '3.1.0' }, schemas: new Map([['task', {}]]) }),
        apiPage: onePage,
      },
      metricsText: async () => ({ contentType: 'text/plain; version=0.0.4', text: '' }),
    },
    answer: (given) =>
      given.task !== null
        ? acceptedAnswer(given)
        : given.arguments['fail'] === true
          ? { status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no', details: { a: 1 } } }
          : success({ image: { $resource: 'p' }, text: 'abc' }, { resources: [picture] }),
  });

const missedRun = (id: string, scheduleId: string, dueAt: number) => ({
  id,
  scheduleId,
  dueAt,
  times: 1,
  state: 'missed' as const,
  attempt: 0,
  isRepeatable: false,
  leaseUntil: null,
  serverId: null,
  resultId: null,
  status: null,
  errorCode: null,
  reason: 'no server ran',
  startedAt: null,
  finishedAt: dueAt,
});
const LIVE = { owner: 'alice', expiresAt: Date.now() + 600_000, leaseUntil: Date.now() + 600_000 };

/** A server that has been used, and the ids of what it keeps. */
const used = async (parts: MemoryApp = app()) => {
  const result = (await (await parts.call({ tool: 'Sample' })).json()) as {
    id: string;
    execution: { recordId: string };
    resources: { id: string }[];
  };
  const later = post('{"tool":"Sample","at":"2100-01-01T00:00:00Z"}');
  const made = [await parts.send('/v1/schedules', later), await parts.send('/v1/schedules', later)];
  const [scheduleId, endedId] = await Promise.all(made.map(async (one) => ((await one.json()) as { id: string }).id));
  const from = Date.parse('2100-01-01T00:00:00Z');
  const missed = missedRun(parts.ids.next('scheduleRun'), endedId!, from);
  await parts.scheduleStore.advance({ scheduleId: endedId!, from, nextAt: null, runs: [missed], at: from });
  const approvals = [sampleApproval(LIVE), sampleApproval(LIVE), sampleApproval({ expiresAt: 0 })];
  for (const approval of approvals) await parts.approvals.create(approval, 100);
  const begin = async () => {
    await parts.call({ tool: 'Painter' });
    return parts.delivered.at(-1)!.task!;
  };
  return {
    parts,
    scheduleId,
    endedId,
    id: result.id,
    recordId: result.execution.recordId,
    resourceId: result.resources[0]!.id,
    approvals: approvals.map((approval) => `/v1/approvals/${approval.id}`),
    tasks: [await begin(), await begin()] as const,
  };
};

type Asked = readonly [operation: string, path: string, status: number, init?: Parameters<MemoryApp['send']>[1]];
const call = '/v1/human/tool';
const callback = ({ token, id }: TransportTask, said: object, more: Record<string, string> = {}) => ({
  as: null,
  ...post(
    JSON.stringify({ protocol: { name: 'vcp.tool-result-callback', version: '1.0' }, taskId: id, ...said }),
    'application/json',
    {
      authorization: `VCP-Plugin ${token}`,
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      ...more,
    },
  ),
});
const result = { status: 'success', data: { text: 'a' } };
const asked = ({
  id,
  recordId,
  resourceId,
  scheduleId,
  endedId,
  tasks: [first, second],
  approvals: [waiting, other, late],
}: Awaited<ReturnType<typeof used>>): Asked[] => [
  ['callBack', `/plugin-callback/Painter/${first.id}`, 401, { method: 'POST', as: null }],
  ['callBack', `/plugin-callback/Painter/x`, 404, callback(first, { result })],
  ['callBack', `/plugin-callback/Painter/${first.id}`, 400, callback(first, { result }, { 'webhook-id': '' })],
  [
    'callBack',
    `/plugin-callback/Painter/${first.id}`,
    413,
    callback(first, { result }, { 'content-length': '20000000' }),
  ],
  [
    'callBack',
    `/plugin-callback/Painter/${first.id}`,
    415,
    callback(first, { result }, { 'content-type': 'text/plain' }),
  ],
  ['callBack', `/plugin-callback/Painter/${first.id}`, 422, callback(first, { result: 1 })],
  [
    'callBack',
    `/plugin-callback/Painter/${first.id}`,
    200,
    callback(first, { progress: { progress: 0.5 } }, { 'webhook-id': 'msg_0' }),
  ],
  ['callBack', `/plugin-callback/Painter/${first.id}`, 200, callback(first, { result })],
  [
    'callBack',
    `/plugin-callback/Painter/${first.id}`,
    409,
    callback(first, { result: { ...result, data: { text: 'b' } } }),
  ],
  ['listTasks', '/v1/tasks?limit=1', 200],
  ['listTasks', '/v1/tasks?state=done', 400],
  ['getTask', `/v1/tasks/${first.id}`, 200],
  ['getTask', '/v1/tasks/nothing', 404],
  ['followTask', `/v1/tasks/${first.id}/events`, 200],
  ['followTask', `/v1/tasks/${first.id}/events?view=raw`, 400],
  ['followTask', '/v1/tasks/nothing/events', 404],
  ['cancelTask', `/v1/tasks/${second.id}/cancel`, 400, post('{"why":1}')],
  ['cancelTask', `/v1/tasks/${second.id}/cancel`, 415, post('why', 'text/plain')],
  [
    'cancelTask',
    `/v1/tasks/${second.id}/cancel`,
    413,
    post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' }),
  ],
  ['cancelTask', `/v1/tasks/${second.id}/cancel`, 200, post('{"reason":"late"}')],
  ['cancelTask', `/v1/tasks/${first.id}/cancel`, 409, post('{}')],
  ['cancelTask', '/v1/tasks/nothing/cancel', 404, post('{}')],
  ['health', '/healthz', 200],
  ['ready', '/readyz', 200],
  ['ready', '/readyz', 200, { as: 'operator' }],
  ['ready', '/readyz', 401, { as: 'nobody' }],
  ['metrics', '/metrics', 200, { as: 'operator' }],
  ['metrics', '/metrics', 403],
  ['apiPage', '/docs', 200],
  ['apiPageFile', '/docs/page.html', 200],
  ['apiPageFile', '/docs/nothing', 404],
  ['version', '/version', 200],
  ['openapi', '/openapi.json', 200],
  ['listSchemas', '/schemas/1.0', 200],
  ['getSchema', '/schemas/1.0/task', 200],
  ['getSchema', '/schemas/1.0/nothing', 404],
  ['listTools', '/v1/tools', 200],
  ['listTools', '/v1/tools?include=refused', 200, { as: 'operator' }],
  ['listTools', '/v1/tools?include=all', 400],
  ['getTool', '/v1/tools/Sample', 200],
  ['getTool', '/v1/tools/Nobody', 404],
  ['getPorts', '/v1/tools/Sample/commands/Run/ports', 200],
  ['getPorts', '/v1/tools/Sample/commands/Walk/ports', 404],
  ['listPlugins', '/v1/plugins', 200, { as: 'operator' }],
  ['listPlugins', '/v1/plugins', 403],
  ['reloadPlugins', '/v1/plugins/reload', 200, { method: 'POST', as: 'operator' }],
  ['reloadPlugins', '/v1/plugins/reload', 403, { method: 'POST' }],
  ['switchPlugin', '/v1/plugins/Other', 200, patch('{"enabled":false}')],
  ['switchPlugin', '/v1/plugins/Other', 400, patch('{"enabled":"no"}')],
  ['switchPlugin', '/v1/plugins/Other', 403, patch('{"enabled":false}', 'alice')],
  ['switchPlugin', '/v1/plugins/Nobody', 404, patch('{"enabled":false}')],
  ['switchPlugin', '/v1/plugins/Other', 413, patch('x'.repeat(10_001), 'operator', { 'content-length': '10001' })],
  ['switchPlugin', '/v1/plugins/Other', 415, patch('enabled', 'operator', { 'content-type': 'text/plain' })],
  ...['canonical', 'workflow', 'ai', 'bridge', 'audit'].flatMap((view): Asked[] => [
    ['callTool', call, 200, post(JSON.stringify({ tool: 'Sample', options: { view } }))],
    ['callTool', call, 200, post(JSON.stringify({ tool: 'Sample', arguments: { fail: true }, options: { view } }))],
    ['getResult', `/v1/results/${id}?view=${view}`, 200],
  ]),
  ['chat', '/v1/chat/completions', 200, chat('m')],
  ['chat', '/v1/chat/completions', 200, chat('m', { stream: true })],
  ['chat', '/v1/chat/completions', 400, chat('m', { vcp: { tool: 1 } })],
  ['chat', '/v1/chat/completions', 404, chat('UPSTREAM_NOT_FOUND')],
  ['chat', '/v1/chat/completions', 413, post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' })],
  ['chat', '/v1/chat/completions', 415, post('x', 'text/html')],
  ['chat', '/v1/chat/completions', 502, chat('UPSTREAM_FAILED')],
  ['chat', '/v1/chat/completions', 503, chat('UPSTREAM_OVERLOADED', { stream: true })],
  ['chat', '/v1/chat/completions', 504, chat('UPSTREAM_TIMEOUT')],
  ['interrupt', '/v1/interrupt', 400, post('{}')],
  ['interrupt', '/v1/interrupt', 404, post('{"id":"nothing"}')],
  ['interrupt', '/v1/interrupt', 413, post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' })],
  ['interrupt', '/v1/interrupt', 415, post('x', 'text/html')],
  ['listModels', '/v1/models', 200],
  ['callTool', call, 200, post('{"tool":"Nobody"}')],
  ['callTool', call, 400, post('{')],
  ['callTool', `${call}?view=raw`, 400, post('{"tool":"Sample"}')],
  ['callTool', call, 400, post('no block', 'text/plain')],
  ['callTool', call, 200, post('{"tool":"Sample"}', 'application/json', { 'idempotency-key': 'k' })],
  ['callTool', call, 200, post('{"tool":"Sample"}', 'application/json', { 'idempotency-key': 'k' })],
  [
    'callTool',
    call,
    422,
    post('{"tool":"Sample","arguments":{"n":1}}', 'application/json', { 'idempotency-key': 'k' }),
  ],
  ['callTool', call, 400, post('{"tool":"Sample"}', 'application/json', { 'idempotency-key': 'a, b' })],
  ['callTool', call, 403, { ...post('{"tool":"Sample"}'), as: 'limited' }],
  ['callTool', call, 200, { ...post('{"tool":"Sample"}'), as: 'careful' }],
  ['callTool', call, 200, { ...post('{"tool":"Sample"}'), as: 'careful' }],
  ['callTool', call, 429, { ...post('{"tool":"Sample"}'), as: 'careful' }],
  ['callTool', call, 413, post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' })],
  ['callTool', call, 415, post('x', 'text/html')],
  ['getResult', `/v1/results/${id}?pointer=/data/text&limit=1`, 200],
  ['getResult', `/v1/results/${id}?pointer=/data/nothing`, 404],
  ['getResult', `/v1/results/${id}?pointer=data`, 400],
  ['getResult', '/v1/results/nothing', 404],
  ['listRecords', '/v1/records?limit=1', 200],
  ['listRecords', '/v1/records?cursor=invented', 400],
  ['getRecord', `/v1/records/${recordId}`, 200],
  ['getRecord', '/v1/records/nothing', 404],
  ['listApprovals', '/v1/approvals?state=pending&limit=1', 200],
  ['listApprovals', '/v1/approvals?state=open', 400],
  ['getApproval', waiting!, 200],
  ['getApproval', waiting!, 404, { as: 'bob' }],
  ['decideApproval', waiting!, 403, post('{"decision":"approve"}')],
  ['decideApproval', waiting!, 400, { ...post('{"decision":"maybe"}'), as: 'operator' }],
  ['decideApproval', waiting!, 415, { ...post('approve', 'text/plain'), as: 'operator' }],
  [
    'decideApproval',
    waiting!,
    413,
    { ...post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' }), as: 'operator' },
  ],
  ['decideApproval', waiting!, 200, { ...post('{"decision":"approve","reason":"fine"}'), as: 'operator' }],
  ['decideApproval', waiting!, 409, { ...post('{"decision":"approve"}'), as: 'operator' }],
  ['decideApproval', other!, 200, { ...post('{"decision":"reject"}'), as: 'operator' }],
  ['decideApproval', late!, 410, { ...post('{"decision":"approve"}'), as: 'operator' }],
  ['decideApproval', '/v1/approvals/nothing', 404, { ...post('{"decision":"approve"}'), as: 'operator' }],
  ['getApproval', other!, 200, { as: 'operator' }],
  ['callTool', call, 200, post('{"tool":"Sample"}', 'application/json', { prefer: 'respond-async' })],
  ['getResource', `/v1/resources/${resourceId}`, 200],
  ['getResource', '/v1/resources/nothing', 404],
  ['getResource', `/v1/resources/${resourceId}`, 416, { headers: { range: 'bytes=9999-' } }],
  ['getNamedResource', `/v1/resources/${resourceId}/p.png`, 200],
  ['getNamedResource', '/v1/resources/nothing/p.png', 404],
  ['getNamedResource', `/v1/resources/${resourceId}/p.png`, 416, { headers: { range: 'bytes=9999-' } }],
  ['getNamedResource', `/v1/resources/${resourceId}/p.png`, 206, { headers: { range: 'bytes=0-1' } }],
  ['getNamedResource', `/v1/resources/${resourceId}/p.png`, 412, { headers: { 'if-match': '"x"' } }],
  ['getNamedResource', `/v1/resources/${resourceId}/p.png?exp=1&sig=x`, 403, { as: null }],
  ['getResource', `/v1/resources/${resourceId}`, 206, { headers: { range: 'bytes=0-1' } }],
  ['getResource', `/v1/resources/${resourceId}`, 412, { headers: { 'if-match': '"x"' } }],
  ['getResource', `/v1/resources/${resourceId}?exp=1&sig=x`, 403, { as: null }],
  ['createSchedule', '/v1/schedules', 201, post('{"tool":"Sample","cron":"0 9 * * *","timeZone":"UTC"}')],
  ['createSchedule', '/v1/schedules', 400, post('{"tool":"Sample"}')],
  ['createSchedule', '/v1/schedules', 403, { ...post('{"tool":"Sample","at":"2100-01-01T00:00:00Z"}'), as: 'limited' }],
  ['createSchedule', '/v1/schedules', 409, post('{"tool":"Sample","at":"2100-01-01T00:00:00Z"}')],
  ['createSchedule', '/v1/schedules', 413, post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' })],
  ['createSchedule', '/v1/schedules', 415, post('x', 'text/plain')],
  ['listSchedules', '/v1/schedules?limit=1', 200],
  ['listSchedules', '/v1/schedules?cursor=invented', 400],
  ['getSchedule', `/v1/schedules/${scheduleId}`, 200],
  ['getSchedule', `/v1/schedules/${endedId}`, 200],
  ['getSchedule', `/v1/schedules/${scheduleId}?limit=0`, 400],
  ['getSchedule', '/v1/schedules/nothing', 404],
  ['cancelSchedule', `/v1/schedules/${scheduleId}`, 200, { method: 'DELETE' }],
  ['cancelSchedule', `/v1/schedules/${endedId}`, 409, { method: 'DELETE' }],
  ['cancelSchedule', '/v1/schedules/nothing', 404, { method: 'DELETE' }],
  ['uploadResource', '/v1/resources?fileName=a.txt', 201, post('hello', 'text/plain')],
  ['uploadResource', '/v1/resources?fileName=', 400, post('hello', 'text/plain')],
  ['uploadResource', '/v1/resources', 400, post('hello', 'multipart/form-data; boundary=B')],
  ['uploadResource', '/v1/resources', 403, { ...post('hello', 'text/plain'), as: 'node' }],
  ['uploadResource', '/v1/resources', 413, post('x'.repeat(20_001), 'text/plain')],
  ['uploadResource', '/v1/resources', 415, post('x', 'text/plain', { 'content-encoding': 'gzip' })],
  ['collectGarbage', '/v1/resources/gc?dryRun=true', 200, { method: 'POST', as: 'operator' }],
  ['collectGarbage', '/v1/resources/gc?dryRun=1', 400, { method: 'POST', as: 'operator' }],
  ['collectGarbage', '/v1/resources/gc', 403, { method: 'POST' }],
  ['collectGarbage', '/v1/resources/gc', 200, { ...post('{"dryRun":true}'), as: 'operator' }],
  ['collectGarbage', '/v1/resources/gc', 400, { ...post('{"dryrun":true}'), as: 'operator' }],
  ['collectGarbage', '/v1/resources/gc', 415, { ...post('dryRun=true', 'text/plain'), as: 'operator' }],
  [
    'collectGarbage',
    '/v1/resources/gc',
    413,
    { ...post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' }), as: 'operator' },
  ],
  ['linkResource', `/v1/resources/${resourceId}/links`, 201, { method: 'POST' }],
  ['linkResource', `/v1/resources/${resourceId}/links`, 201, post('{"expiresInMs":5000}')],
  ['linkResource', `/v1/resources/${resourceId}/links`, 400, post('{"expiresInMs":1e12}')],
  ['linkResource', '/v1/resources/nothing/links', 404, { method: 'POST' }],
  [
    'linkResource',
    `/v1/resources/${resourceId}/links`,
    413,
    post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' }),
  ],
  ['linkResource', `/v1/resources/${resourceId}/links`, 415, post('x', 'text/plain')],
  ['openSocket', '/v1/ws', 426],
  ['openSocket', '/v1/ws', 501, { headers: { upgrade: 'websocket' } }],
  ['openSocket', '/v1/ws?types=x', 400],
  ['openEventStream', '/v1/events', 200, { method: 'HEAD' }],
  ['openEventStream', '/v1/events?types=x', 400],
  ['createTicket', '/v1/tickets', 201, { method: 'POST' }],
  ...(['createEmbeddings', 'createImages'] as const).flatMap((name): Asked[] => {
    const to = name === 'createImages' ? '/v1/images/generations' : '/v1/embeddings';
    const large = post('x'.repeat(10_001), 'application/json', { 'content-length': '10001' });
    return [
      [name, to, 200, post('{"model":"e"}')],
      [name, to, 200, post('{"model":"i"}')],
      [name, to, 400, post('{"model":"other"}')],
      [name, to, 403, { ...post('{"model":"e"}'), as: 'node' }],
      [name, to, 413, large],
      [name, to, 415, post('{"model":"e"}', 'text/plain')],
      [name, to, 422, post('{"model":"e","status":422}')],
      [name, to, 502, post('{"model":"e","status":401}')],
      [name, to, 504, post('{"model":"e","status":504}')],
    ];
  }),
];

describe('the OpenAPI document', () => {
  it('describes every answer of every operation', async () => {
    const kept = await used();
    const requests = asked(kept);
    const faults: string[] = [];
    for (const [id, route, status, init] of requests) {
      const response = await kept.parts.send(route, init);
      if (response.status !== status) faults.push(`${id} ${route}: ${response.status} instead of ${status}`);
      else faults.push(...(await faultsOf(id, response)));
    }
    expect(faults).toEqual([]);
    expect([...operations.keys()].filter((id) => !requests.some(([name]) => name === id))).toEqual([]);
  }, 30_000);

  it('describes what a server answers that is closing', async () => {
    const { send } = createMemoryApp({ app: { isReady: () => false } });
    expect(await faultsOf('ready', await send('/readyz'))).toEqual([]);
    const refused = await send(call, post('{"tool":"Sample"}'));
    expect([refused.status, await faultsOf('callTool', refused)]).toEqual([503, []]);
    const later = await send('/v1/schedules', post('{"tool":"Sample","at":"2100-01-01T00:00:00Z"}'));
    expect([later.status, await faultsOf('createSchedule', later)]).toEqual([503, []]);
    for (const [id, to] of [
      ['createEmbeddings', '/v1/embeddings'],
      ['createImages', '/v1/images/generations'],
    ] as const) {
      const closed = await send(to, post('{"model":"e"}'));
      expect([closed.status, await faultsOf(id, closed)]).toEqual([503, []]);
    }
    const unasked = await send('/v1/chat/completions', chat('m'));
    expect([unasked.status, await faultsOf('chat', unasked)]).toEqual([503, []]);
  });

  it('describes what a server answers to a signed address that has expired', async () => {
    const { parts, resourceId } = await used();
    const { pathname, search } = new URL(await parts.addresses.signedUrlOf(resourceId, 'p.png', Date.now() - 1_000));
    const gone = await parts.send(pathname + search, { as: null });
    expect([gone.status, await faultsOf('getNamedResource', gone)]).toEqual([410, []]);
    const unnamed = await parts.send(pathname.replace('/p.png', '') + search, { as: null });
    expect([unnamed.status, await faultsOf('getResource', unnamed)]).toEqual([410, []]);
  });

  it('describes what a server answers to a key whose call still runs', { timeout: 20_000 }, async () => {
    let end: ((answer: unknown) => void) | undefined;
    const { send } = createMemoryApp({ answer: () => new Promise((settle) => (end = settle)) });
    const keyed = post('{"tool":"Sample"}', 'application/json', { 'idempotency-key': 'k' });
    const first = send(call, keyed);
    while (end === undefined) await new Promise((settle) => setTimeout(settle, 1));
    const refused = await send(`${call}?timeoutMs=20`, keyed);
    expect([refused.status, await faultsOf('callTool', refused)]).toEqual([409, []]);
    end(success(1));
    expect(await faultsOf('callTool', await first)).toEqual([]);
  });

  it('says of each operation whether it needs a key, and what it answers without one', async () => {
    const { send } = app();
    for (const [id, { route, method, operation }] of operations) {
      const response = await send(route.replaceAll(/\{\w+\}/g, 'x'), { method: method.toUpperCase(), as: null });
      const isOpen = operation.security.length === 0;
      expect([id, response.status === 401]).toEqual([id, !isOpen]);
      if (!isOpen) expect(await faultsOf(id, response)).toEqual([]);
    }
  });

  it('describes, for every operation that needs a key, the refusal of one that is used up, and its fields', async () => {
    const { send } = app();
    for (let request = 0; request < 3; request += 1) await send('/v1/tools', { as: 'slow' });
    let refused = 0;
    for (const [id, { route, method, operation }] of operations) {
      if (!operation.security.some((way) => Object.hasOwn(way, 'bearer'))) continue;
      const response = await send(route.replaceAll(/\{\w+\}/g, 'x'), { method: method.toUpperCase(), as: 'slow' });
      const fields = Object.keys(operation.responses['429']?.headers ?? {});
      expect([id, response.status, fields.filter((name) => !response.headers.has(name))]).toEqual([id, 429, []]);
      expect(fields).toContain('Retry-After');
      expect(await faultsOf(id, response)).toEqual([]);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(5);
  });

  it('describes the fields that tell a limited key where it stands', async () => {
    const { send } = app();
    const fields = Object.keys(operationOf('listTools').responses['200']?.headers ?? {});
    const { headers } = await send('/v1/tools', { as: 'slow' });
    expect(fields).toHaveLength(5);
    expect(fields.filter((name) => !headers.has(name))).toEqual([]);
  });

  it('notices an answer that it does not describe', async () => {
    const headers = { 'content-type': 'application/json' };
    const wrong = (body: object, status = 200) => new Response(JSON.stringify(body), { status, headers });
    expect(await faultsOf('listTools', wrong({ tools: [{ name: 1 }] }))).toHaveLength(1);
    expect(await faultsOf('listTools', wrong({ tools: [] }, 418))).toEqual(['listTools: 418 is not described']);
  });

  it.each([
    ['listTools', ToolsQuery, { include: 'string' }],
    ['uploadResource', UploadQuery, { fileName: 'string' }],
    ['listTasks', TasksQuery, { tool: 'string', state: 'string', limit: 'integer', cursor: 'string' }],
    ['followTask', TaskEventsQuery, { view: 'string' }],
    ['collectGarbage', CollectionQuery, { dryRun: 'string' }],
    [
      'openEventStream',
      EventsQuery,
      {
        clientType: 'string',
        types: 'array',
        tools: 'array',
        invocations: 'array',
        tasks: 'array',
        lastEventId: 'string',
        ticket: 'string',
      },
    ],
    ['listSchedules', SchedulesQuery, { tool: 'string', state: 'string', limit: 'integer', cursor: 'string' }],
    ['getSchedule', ScheduleRunsQuery, { limit: 'integer', cursor: 'string' }],
    ['callTool', CallQuery, { view: 'string', timeoutMs: 'integer' }],
    [
      'getResult',
      ResultQuery,
      {
        view: 'string',
        pointer: 'string',
        offset: 'integer',
        limit: 'integer',
        maxCharacters: 'integer',
        maxResources: 'integer',
        vision: 'string',
        audio: 'string',
        execution: 'string',
      },
    ],
    [
      'listRecords',
      RecordsQuery,
      {
        tool: 'string',
        status: 'string',
        actor: 'string',
        since: 'string',
        until: 'string',
        limit: 'integer',
        cursor: 'string',
      },
    ],
  ])('has the query of %s as the route reads it, types and bounds', (id, query, types) => {
    const parameters = (operationOf(id).parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(Object.fromEntries(parameters.map(({ name, schema }) => [name, schema['type']]))).toEqual(types);
    const { properties = {} } = z.toJSONSchema(query);
    for (const { name, schema } of parameters) {
      const { description: _, ...read } = properties[name] as Record<string, unknown>;
      expect(schema).toEqual(read);
    }
  });
});
