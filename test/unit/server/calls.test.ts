import { describe, expect, it } from 'vitest';
import { BridgeEnvelope } from '../../../src/protocol/bridge-envelope.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;
const block = (...fields: [string, string][]) =>
  `<<<[TOOL_REQUEST]>>>\n${fields.map(([key, value]) => `${key}:「始」${value}「末」`).join(',\n')}\n<<<[END_TOOL_REQUEST]>>>`;

describe('POST /v1/human/tool', () => {
  it('answers with the canonical result', async () => {
    const { call } = createMemoryApp({ answer: ({ arguments: args }) => success({ args }) });
    const response = await call({ tool: 'Sample', arguments: { a: 1 } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const result = await json(response);
    expect(CanonicalToolResult.safeParse(result).error?.issues ?? []).toEqual([]);
    expect(result).toMatchObject({
      status: 'success',
      data: { args: { a: 1 } },
      actor: { type: 'human', id: 'alice', name: 'alice', maid: null },
      origin: { source: 'human' },
    });
    expect((result['execution'] as { requestId: string }).requestId).toBe(response.headers.get('x-request-id'));
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['an error of the tool', {}, 'error', 'SAMPLE.NO'],
    ['an unknown tool', { tool: 'Nobody' }, 'error', 'TOOL_NOT_FOUND'],
    ['a disabled tool', { tool: 'Off' }, 'error', 'TOOL_DISABLED'],
  ])('answers 200 to %s', async (_, request, status, code) => {
    const { call } = createMemoryApp({
      manifests: [manifest(), manifest({ name: 'Off', enabled: false })],
      answer: () => ({ status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no' } }),
    });
    const response = await call({ tool: 'Sample', ...request });
    expect([response.status, await json(response)]).toMatchObject([200, { status, error: { code } }]);
  });

  it('answers 403 to a key that may not use the tool, and runs nothing', async () => {
    const parts = createMemoryApp();
    const response = await parts.call({ tool: 'Sample' }, 'limited');
    expect([response.status, (await json(response))['code'], parts.delivered.length]).toEqual([403, 'FORBIDDEN', 0]);
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{"tool":', ''],
    ['nothing', '', ''],
    ['a list', [], ''],
    ['no tool', {}, '/tool'],
    ['arguments that are a list', { tool: 'Sample', arguments: [] }, '/arguments'],
    ['an unknown field', { tool: 'Sample', command: 'x' }, '/command'],
    ['an unknown view', { tool: 'Sample', options: { view: 'raw' } }, '/options/view'],
    ['a depth bomb', '['.repeat(100_000), ''],
    ['a __proto__', '{"tool":"Sample","arguments":{"__proto__":{"a":1}}}', '/arguments/__proto__'],
    ['a lone surrogate', '{"tool":"Sample","arguments":{"a":"\\ud83d"}}', '/arguments/a'],
  ])('answers 400 to %s, with the place at fault', async (_, body, pointer) => {
    const parts = createMemoryApp();
    const response = await parts.call(body);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
    expect(parts.delivered).toEqual([]);
  });

  it('answers 413 to a body that is too large, JSON and text alike', async () => {
    const { send } = createMemoryApp({ limits: { requestBodyBytes: 200 } });
    for (const type of ['application/json', 'text/plain']) {
      const response = await send('/v1/human/tool', {
        method: 'POST',
        headers: { 'content-type': type, 'content-length': '201' },
        body: 'x'.repeat(201),
      });
      expect([response.status, (await json(response))['code']]).toEqual([413, 'CONTENT_TOO_LARGE']);
    }
  });

  it.each(['text/html', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonp', 'text/plainer', ''])(
    'answers 415 to a body of type "%s"',
    async (type) => {
      const { send } = createMemoryApp();
      const response = await send('/v1/human/tool', {
        method: 'POST',
        headers: type === '' ? {} : { 'content-type': type },
        body: new TextEncoder().encode('{"tool":"Sample"}'),
      });
      expect([response.status, (await json(response))['code']]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.vcp+json'])(
    'takes a body of type %s',
    async (type) => {
      const { send } = createMemoryApp();
      expect(
        (await send('/v1/human/tool', { method: 'POST', headers: { 'content-type': type }, body: '{"tool":"Sample"}' }))
          .status,
      ).toBe(200);
    },
  );

  it('gives every view', async () => {
    const { call } = createMemoryApp({ answer: () => success({ total: 1 }) });
    const view = async (name: string) => await json(await call({ tool: 'Sample', options: { view: name } }));
    expect(await view('workflow')).toMatchObject({
      status: 'success',
      data: { total: 1 },
      outputs: [
        { pointer: '/data', type: 'object' },
        { pointer: '/data/total', type: 'number' },
      ],
    });
    expect((await view('ai'))['text']).toContain('**total**: 1');
    expect(BridgeEnvelope.safeParse(await view('bridge')).success).toBe(true);
    expect(await view('audit')).toMatchObject({ status: 'success', data: { total: 1 }, omitted: [] });
  });

  it('redacts for a person, not for an operator', async () => {
    const { call } = createMemoryApp({ answer: () => success({ password: 'p', text: 'fine' }) });
    expect(await json(await call({ tool: 'Sample' }))).toMatchObject({
      data: { password: '[redacted: secret]', text: 'fine' },
      policy: { redactionsApplied: [{ pointer: '/data/password', reason: 'secret' }] },
    });
    expect(await json(await call({ tool: 'Sample' }, 'operator'))).toMatchObject({
      data: { password: 'p' },
      policy: { redactionsApplied: [] },
    });
  });

  it('passes the caller’s patience on', async () => {
    const parts = createMemoryApp();
    const response = await parts.call({ tool: 'Sample', options: { timeoutMs: 1_234 } });
    expect(await json(response)).toMatchObject({ execution: { timeoutMs: 1_234 } });
  });
});

describe('a call as text', () => {
  const schema = { type: 'object', properties: { count: { type: 'integer' }, image_size: { type: 'string' } } };
  const app = () =>
    createMemoryApp({
      manifests: [manifest({}, { inputSchema: schema })],
      answer: ({ arguments: args }) => success({ args }),
    });
  const sendText = (parts: ReturnType<typeof app>, body: string) =>
    parts.send('/v1/human/tool', { method: 'POST', headers: { 'content-type': 'text/plain; charset=utf-8' }, body });

  it('is read, coerced by the schema and run for the maid it names', async () => {
    const response = await sendText(
      app(),
      `Please.\n${block(['tool_name', 'Sample'], ['count', '5'], ['ImageSize', '2K'], ['maid', 'Nova'])}`,
    );
    expect(await json(response)).toMatchObject({
      status: 'success',
      data: { args: { count: 5, image_size: '2K' } },
      actor: { type: 'agent', name: 'Nova', maid: 'Nova' },
    });
  });

  it('is warned of a key that stands twice', async () => {
    const response = await sendText(app(), block(['tool_name', 'Sample'], ['count', '1'], ['Count', '2']));
    expect(await json(response)).toMatchObject({ data: { args: { count: 2 } }, warnings: [{ code: 'REPEATED_KEY' }] });
  });

  it('that was not said whole is 400, and nothing runs', async () => {
    const parts = app();
    const response = await sendText(
      parts,
      `<<<[TOOL_REQUEST]>>>\ntool_name:「始」Sample「末」, count:「始」5\n<<<[END_TOOL_REQUEST]>>>`,
    );
    expect([response.status, await json(response)]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', errors: [{ pointer: '/count', detail: 'the value of count has no closing 「末」' }] },
    ]);
    expect(parts.delivered).toEqual([]);
  });

  it('is bound by the tools of its key', async () => {
    const parts = app();
    expect(
      (
        await parts.send('/v1/human/tool', {
          as: 'limited',
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: block(['tool_name', 'Sample']),
        })
      ).status,
    ).toBe(403);
  });
});
