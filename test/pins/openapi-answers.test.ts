// The document of the HTTP surface against the surface itself: every operation is asked, every answer held against
// the schema that the document gives for its status and type, by a validator that the server does not use.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CallQuery } from '../../src/server/routes/human-tool.ts';
import { CollectionQuery } from '../../src/server/routes/collections.ts';
import { RecordsQuery } from '../../src/server/routes/records.ts';
import { ResultQuery } from '../../src/server/routes/results.ts';
import { ToolsQuery } from '../../src/server/routes/tools.ts';
import { UploadQuery } from '../../src/server/routes/uploads.ts';
import { UpstreamError } from '../../src/ports/upstream-error.ts';
import { createChatApp, finishBy, modelOf, say } from '../support/chat-app.ts';
import { createMemoryApp, success, type MemoryApp } from '../support/memory-runtime.ts';
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
  const described = operation.responses[String(response.status)];
  if (described === undefined) return [`${id}: ${response.status} is not described`];
  const type = (response.headers.get('content-type') ?? '').split(';')[0] as string;
  const key = Object.hasOwn(described.content, type) ? type : '*/*';
  if (!Object.hasOwn(described.content, key)) return [`${id}: ${response.status} is not described as ${type}`];
  if (key === '*/*') return [];
  const place = ['paths', route, method, 'responses', String(response.status), 'content', key, 'schema'];
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
    manifests: [manifest(), manifest({ name: 'Other' }), { name: 'Broken' }],
    limits: { requestBodyBytes: 10_000, resourceBytes: 20_000 },
    app: {
      documents: { openapi: { openapi: '3.1.0' }, schemas: new Map([['task', {}]]), apiPage: onePage },
      metricsText: async () => ({ contentType: 'text/plain; version=0.0.4', text: '' }),
    },
    answer: ({ arguments: args }) =>
      args['fail'] === true
        ? { status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no', details: { a: 1 } } }
        : success({ image: { $resource: 'p' }, text: 'abc' }, { resources: [picture] }),
  });

/** A server that has been used, and the ids of what it keeps. */
const used = async (parts: MemoryApp = app()) => {
  const result = (await (await parts.call({ tool: 'Sample' })).json()) as {
    id: string;
    execution: { recordId: string };
    resources: { id: string }[];
  };
  return { parts, id: result.id, recordId: result.execution.recordId, resourceId: result.resources[0]!.id };
};

type Asked = readonly [operation: string, path: string, status: number, init?: Parameters<MemoryApp['send']>[1]];
const call = '/v1/human/tool';
const asked = ({ id, recordId, resourceId }: Awaited<ReturnType<typeof used>>): Asked[] => [
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
      if (operation.security.length === 0) continue;
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
    ['collectGarbage', CollectionQuery, { dryRun: 'string' }],
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
