import { describe, expect, it } from 'vitest';
import { createMemoryApp } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const patch = (enabled: unknown, as = 'operator', type = 'application/merge-patch+json') => ({
  method: 'PATCH',
  as,
  headers: { 'content-type': type },
  body: JSON.stringify({ enabled }),
});

describe('the plugins of a server', () => {
  it('are shown to operators with their state, and to nobody else', async () => {
    const { send } = createMemoryApp({ manifests: [manifest(), { name: 'Broken' }] });
    const listing = (await (await send('/v1/plugins', { as: 'operator' })).json()) as { plugins: unknown[] };
    expect(listing.plugins).toMatchObject([
      { name: 'Sample', version: '1.0.0', state: 'serving', enabled: true, switchedBy: 'manifest', reason: null },
      {
        name: 'Broken',
        version: null,
        state: 'refused',
        reason: expect.stringContaining('manifestVersion') as unknown,
      },
    ]);
    expect((await send('/v1/plugins')).status).toBe(403);
    expect((await send('/v1/plugins/reload', { method: 'POST' })).status).toBe(403);
    expect((await send('/v1/plugins/Sample', patch(false, 'alice'))).status).toBe(403);
  });

  it.each(['application/merge-patch+json', 'application/json'])('are switched at once (%s)', async (type) => {
    const { send, call } = createMemoryApp();
    const off = await send('/v1/plugins/Sample', patch(false, 'operator', type));
    expect([off.status, await off.json()]).toMatchObject([200, { state: 'disabled', switchedBy: 'operator' }]);
    expect(await (await call({ tool: 'Sample' })).json()).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    const tools = (await (await send('/v1/tools')).json()) as { tools: { enabled: boolean }[] };
    expect(tools.tools.map(({ enabled }) => enabled)).toEqual([false]);
    await send('/v1/plugins/Sample', patch(true));
    expect(await (await call({ tool: 'Sample' })).json()).toMatchObject({ status: 'success' });
  });

  it('are left to their manifest again with null', async () => {
    const { send } = createMemoryApp({ manifests: [manifest({ enabled: false })] });
    expect(await (await send('/v1/plugins/Sample', patch(true))).json()).toMatchObject({ state: 'serving' });
    expect(await (await send('/v1/plugins/Sample', patch(null))).json()).toMatchObject({
      state: 'disabled',
      switchedBy: 'manifest',
    });
  });

  it('are not guessed: a name that is not there is answered with the nearest', async () => {
    const { send } = createMemoryApp();
    const answer = await send('/v1/plugins/Simple', patch(false));
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      404,
      'there is no plugin "Simple"; did you mean "Sample"?',
    ]);
  });

  it('want a patch that says what it means', async () => {
    const { send } = createMemoryApp();
    expect((await send('/v1/plugins/Sample', patch('off'))).status).toBe(400);
    expect((await send('/v1/plugins/Sample', patch(false, 'operator', 'text/plain'))).status).toBe(415);
  });
});

describe('pages of other origins', () => {
  const ask = async (origins: readonly string[], init: RequestInit = {}) => {
    const { send } = createMemoryApp({ app: { corsOrigins: () => origins } });
    return await send('/healthz', { ...init, headers: { origin: 'https://a.example' } });
  };
  const allowed = (response: Response) => response.headers.get('access-control-allow-origin');

  it('are let in by name, or all of them', async () => {
    expect(allowed(await ask(['https://a.example']))).toBe('https://a.example');
    expect(allowed(await ask(['https://b.example']))).toBeNull();
    expect(allowed(await ask(['*']))).toBe('*');
  });

  it('meet a server that knows nothing of them when none is named', async () => {
    expect((await ask([], { method: 'OPTIONS' })).status).toBe(405);
    expect((await ask(['https://a.example'], { method: 'OPTIONS' })).status).toBe(204);
  });
});
