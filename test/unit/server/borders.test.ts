// What the border refuses before a tool hears of it, and what it understands in both forms of a call.
import { describe, expect, it } from 'vitest';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const BLOCK = '<<<[TOOL_REQUEST]>>>tool_name:「始」Sample「末」<<<[END_TOOL_REQUEST]>>>';
const FORMS: [string, string, string][] = [
  ['JSON', 'application/json', '{"tool":"Sample"}'],
  ['text', 'text/plain', BLOCK],
];
const jsonOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe.each(FORMS)('a call in %s', (_, type, body) => {
  const post = (parts: ReturnType<typeof createMemoryApp>, query = '', headers = {}) =>
    parts.send(`/v1/human/tool${query}`, { method: 'POST', headers: { 'content-type': type, ...headers }, body });

  it('is answered in the view of its query', async () => {
    const response = await post(createMemoryApp({ answer: () => success({ total: 1 }) }), '?view=ai');
    expect((await jsonOf(response))['text']).toContain('**total**: 1');
  });

  it('has the patience of its query', async () => {
    expect(await jsonOf(await post(createMemoryApp(), '?timeoutMs=1234'))).toMatchObject({
      execution: { timeoutMs: 1_234 },
    });
  });

  it.each([
    ['?viev=ai', '/viev'],
    ['?view=raw', '/view'],
    ['?timeoutMs=soon', '/timeoutMs'],
    ['?timeoutMs=0', '/timeoutMs'],
    ['?timeoutMs=1.5', '/timeoutMs'],
    ['?timeoutMs=86400001', '/timeoutMs'],
  ])('is refused with the query %s', async (query, pointer) => {
    const parts = createMemoryApp();
    const response = await post(parts, query);
    expect([response.status, await jsonOf(response)]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', errors: [{ pointer }] },
    ]);
    expect(parts.delivered).toEqual([]);
  });

  it.each<[string, number[]]>([
    ['half a character', [0xe6, 0x9c]],
    ['a byte that is never UTF-8', [0xff]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('is refused when its body holds %s', async (_what, bytes) => {
    const parts = createMemoryApp();
    const start = new TextEncoder().encode(body.slice(0, -1));
    const end = new TextEncoder().encode(body.slice(-1));
    const response = await parts.send('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': type },
      body: Uint8Array.from([...start, ...bytes, ...end]),
    });
    expect([response.status, await jsonOf(response)]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', detail: 'the body is not valid UTF-8' },
    ]);
    expect(parts.delivered).toEqual([]);
  });
});

it('puts the options of a JSON body before the query', async () => {
  const parts = createMemoryApp();
  const response = await parts.send('/v1/human/tool?view=ai&timeoutMs=1000', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool: 'Sample', options: { view: 'canonical', timeoutMs: 2_000 } }),
  });
  expect(await jsonOf(response)).toMatchObject({ status: 'success', execution: { timeoutMs: 2_000 } });
});

describe('a method that a path does not take', () => {
  const { send } = createMemoryApp();
  it.each([
    ['GET', '/v1/human/tool', 'POST'],
    ['PUT', '/v1/human/tool', 'POST'],
    ['POST', '/v1/tools', 'GET, HEAD'],
    ['DELETE', '/v1/results/tr_x', 'GET, HEAD'],
    ['PATCH', '/v1/records', 'GET, HEAD'],
    ['POST', '/v1/resources/res_x/name.png', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
  ])('%s %s is answered with 405, and what the path takes', async (method, path, allow) => {
    const response = await send(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await jsonOf(response)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', title: 'Method Not Allowed' });
  });

  it.each(['GET', 'POST', 'DELETE'])('%s of a path that is not there is answered with 404', async (method) => {
    for (const path of ['/v1/nothing', '/v1/tools/Sample/commands', '/nothing']) {
      const response = await send(path, { method });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 404, null]);
    }
  });

  it('tells a stranger nothing of what a path takes', async () => {
    expect((await send('/v1/tools', { method: 'POST', as: null })).status).toBe(401);
  });
});

describe('a command that a tool does not have', () => {
  const commands = ['Add', 'Remove'].map((commandIdentifier) => ({
    commandIdentifier,
    description: 'd',
    inputSchema: { type: 'object', properties: { command: { const: commandIdentifier } } },
    outputSchema: true,
  }));
  const parts = createMemoryApp({ manifests: [manifest({ capabilities: { invocationCommands: commands } })] });

  it('is answered with those that it has', async () => {
    const result = await jsonOf(await parts.call({ tool: 'Sample', arguments: { command: 'Something' } }));
    expect(result).toMatchObject({
      error: {
        code: 'UNKNOWN_COMMAND',
        message: 'Sample has no command "Something"; it has Add, Remove',
        target: 'command',
        details: { allowed: ['Add', 'Remove'] },
      },
    });
  });

  it('is answered with the one that was nearly named', async () => {
    const result = await jsonOf(await parts.call({ tool: 'Sample', arguments: { command: 'Removr' } }));
    expect(result).toMatchObject({ error: { message: 'Sample has no command "Removr"; did you mean "Remove"?' } });
  });
});
