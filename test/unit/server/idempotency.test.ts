import { describe, expect, it } from 'vitest';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import {
  createMemoryIdempotencyStore,
  type MemoryKeyClaims,
} from '../../../adapters/memory/memory-idempotency-store.ts';
import { readIdempotencyKey } from '../../../src/server/idempotency-key.ts';
import { createVcpClient } from '../../../src/client/vcp-client.ts';
import { createMemoryApp, success, type MemoryApp, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const BLOCK = '<<<[TOOL_REQUEST]>>>tool_name:「始」Sample「末」<<<[END_TOOL_REQUEST]>>>';
const FORMS: [string, string, string][] = [
  ['JSON', 'application/json', '{"tool":"Sample"}'],
  ['text', 'text/plain', BLOCK],
];
const jsonOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

/** A tool that answers something else every time. */
const app = (options: MemoryRuntimeOptions = {}) => {
  let n = 0;
  return createMemoryApp({
    answer: () => {
      n += 1;
      return success({ n });
    },
    ...options,
  });
};

const post = (
  parts: MemoryApp,
  body: string,
  key: string | null,
  { type = 'application/json', query = '', as = 'alice' } = {},
) =>
  parts.send(`/v1/human/tool${query}`, {
    method: 'POST',
    as,
    headers: { 'content-type': type, ...(key === null ? {} : { 'idempotency-key': key }) },
    body,
  });

describe.each(FORMS)('Idempotency-Key with a call in %s', (_, type, body) => {
  it('makes it once, and marks the answer that is a replay', async () => {
    const parts = app();
    const first = await post(parts, body, '"8e03978e-40d5-43dd-bc93-6894a57f9324"', { type });
    const second = await post(parts, body, '"8e03978e-40d5-43dd-bc93-6894a57f9324"', { type });
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(await jsonOf(second)).toEqual(await jsonOf(first));
    expect(parts.delivered).toHaveLength(1);
  });

  it('is the same key bare and quoted', async () => {
    const parts = app();
    await post(parts, body, '"once"', { type });
    expect((await post(parts, body, 'once', { type })).headers.get('idempotency-replayed')).toBe('true');
  });

  it('gives the stored result in the view that is asked for now', async () => {
    const parts = app();
    const first = await jsonOf(await post(parts, body, 'once', { type }));
    const ai = await post(parts, body, 'once', { type, query: '?view=ai' });
    expect([ai.status, ai.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect((await jsonOf(ai))['text']).toContain('**n**: 1');
    const bridge = await jsonOf(await post(parts, body, 'once', { type, query: '?view=bridge' }));
    expect(JSON.stringify(bridge)).toContain(String(first['id']));
    expect(parts.delivered).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['an empty string', '""'],
    ['a string without its end', '"abc'],
    ['a string with an unknown escape', '"a\\b"'],
    ['two keys', 'a, b'],
    ['two strings', '"a", "b"'],
    ['a parameter', '"a";p=1'],
    ['a space', 'a b'],
    ['a character that is not ASCII', 'caf\u00e9'],
    ['256 characters', 'k'.repeat(256)],
    ['256 characters in quotes', `"${'k'.repeat(256)}"`],
  ])('is refused with %s, and nothing runs', async (_what, key) => {
    const parts = app();
    const response = await post(parts, body, key, { type });
    expect([response.status, (await jsonOf(response))['code']]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    expect(parts.delivered).toEqual([]);
  });
});

describe('Idempotency-Key', () => {
  it('is refused for another call with 422', async () => {
    const parts = app();
    await post(parts, '{"tool":"Sample","arguments":{"a":1}}', 'once');
    const response = await post(parts, '{"tool":"Sample","arguments":{"a":2}}', 'once');
    expect([response.status, await jsonOf(response)]).toMatchObject([
      422,
      { code: 'IDEMPOTENCY_KEY_REUSED', title: 'Unprocessable Content' },
    ]);
    expect(parts.delivered).toHaveLength(1);
  });

  it('tells who waited too long when to come back', async () => {
    let end: ((answer: unknown) => void) | undefined;
    const parts = app({ answer: () => new Promise((resolve) => (end = resolve)) });
    const first = post(parts, '{"tool":"Sample"}', 'once');
    while (end === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    const response = await post(parts, '{"tool":"Sample"}', 'once', { query: '?timeoutMs=30' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, '2']);
    expect(await jsonOf(response)).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE', title: 'Conflict' });
    end(success(1));
    expect((await first).status).toBe(200);
  });

  it('says that it does not know what became of a call that was lost', async () => {
    const parts = app();
    const claimedAt = Date.now() - 60_000;
    await post(parts, '{"tool":"Sample"}', 'other');
    const { fingerprint } = (await parts.keys.find('alice', 'other'))!;
    const lost = { owner: 'alice', key: 'once', fingerprint, invocationId: 'ti_lost', claimedBy: 'test', claimedAt };
    await parts.keys.claim({
      ...lost,
      leaseUntil: claimedAt + 15_000,
      expiresAt: claimedAt + 86_400_000,
      isRepeatable: true,
      resultId: null,
    });
    const response = await post(parts, '{"tool":"Sample"}', 'once');
    expect([response.status, await jsonOf(response)]).toMatchObject([409, { code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' }]);
    expect(parts.delivered).toHaveLength(1);
  });

  it('makes no call when its store does not answer', async () => {
    const fails = () => Promise.reject(new Error('disk full'));
    const keys = { claim: fails, takeOver: fails, find: fails, extend: fails, removeExpired: fails };
    const parts = app({ keys });
    const response = await post(parts, '{"tool":"Sample"}', 'once');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await jsonOf(response)).toMatchObject({ code: 'IDEMPOTENCY_UNAVAILABLE' });
    expect(parts.delivered).toEqual([]);
  });

  it('says that the call was made when only its result cannot be read', async () => {
    const claims: MemoryKeyClaims = new Map();
    const stores = { calls: createMemoryCallStore(claims), keys: createMemoryIdempotencyStore(claims) };
    await post(app(stores), '{"tool":"Sample"}', 'once');
    const getResult = () => Promise.reject(new Error('disk'));
    const parts = app({ ...stores, calls: { ...stores.calls, getResult } });
    const response = await post(parts, '{"tool":"Sample"}', 'once');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    const { code, detail } = await jsonOf(response);
    expect(code).toBe('IDEMPOTENCY_RESULT_UNAVAILABLE');
    expect(detail).toContain('was made');
    expect(detail).not.toContain('nothing');
  });

  it('is each API key’s own', async () => {
    const parts = app();
    const [alice, bob] = [
      await post(parts, '{"tool":"Sample"}', 'once'),
      await post(parts, '{"tool":"Sample"}', 'once', { as: 'bob' }),
    ];
    expect(bob.headers.get('idempotency-replayed')).toBeNull();
    expect((await jsonOf(bob))['id']).not.toBe((await jsonOf(alice))['id']);
  });

  it('gives no result to a key that may not use the tool', async () => {
    const parts = app();
    expect((await post(parts, '{"tool":"Sample"}', 'once', { as: 'limited' })).status).toBe(403);
  });

  it('does not withhold the redaction of a replay', async () => {
    const parts = app({ answer: () => success({ password: 'p' }), manifests: [manifest()] });
    await post(parts, '{"tool":"Sample"}', 'once');
    expect(await jsonOf(await post(parts, '{"tool":"Sample"}', 'once'))).toMatchObject({
      data: { password: '[redacted: secret]' },
    });
  });

  it('may be sent, and its answer read, by pages of the origins that are allowed', async () => {
    const parts = createMemoryApp({ app: { corsOrigins: () => ['https://app.example'] } });
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const asked = { ...headers, 'access-control-request-headers': 'idempotency-key' };
    const preflight = await parts.send('/v1/human/tool', { method: 'OPTIONS', as: null, headers: asked });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const answer = await parts.send('/healthz', { headers: { origin: 'https://app.example' } });
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase();
    expect(exposed).toContain('idempotency-replayed');
    expect(exposed).toContain('retry-after');
  });
});

describe('the key of an Idempotency-Key header', () => {
  it.each([
    ['abc', 'abc'],
    ['  abc ', 'abc'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ["!#$%&'()*+-./:<=>?@[\\]^_`{|}~", "!#$%&'()*+-./:<=>?@[\\]^_`{|}~"],
    ['"abc"', 'abc'],
    ['"order 8, item 2; again"', 'order 8, item 2; again'],
    ['"say \\"hi\\" \\\\ there"', 'say "hi" \\ there'],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('%s is %s', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });
});

describe('VcpClient', () => {
  it.each(['once', 'order 8, item "2" \\ again'])('sends the idempotency key %s so that it arrives', async (key) => {
    const parts = app();
    const client = createVcpClient({
      endpoint: 'http://vcp.example',
      apiKey: 'key-of-alice',
      fetch: async (url, init) => await parts.app.request(url as string, init),
    });
    const first = await client.callTool('Sample', {}, { idempotencyKey: key });
    expect(await client.callTool('Sample', {}, { idempotencyKey: key, timeoutMs: 5_000 })).toEqual(first);
    expect(await parts.keys.find('alice', key)).toMatchObject({ resultId: first.id });
    expect(parts.delivered).toHaveLength(1);
  });
});
