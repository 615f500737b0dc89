import { describe, expect, it } from 'vitest';
import { createMemoryApp } from '../../support/memory-runtime.ts';

const file = (text: string, mediaType: string) => ({
  bytes: new TextEncoder().encode(text),
  mediaType,
  etag: `"${text.length}"`,
});
const files = new Map([
  ['page.html', file('<html></html>', 'text/html; charset=utf-8')],
  ['page.js', file('run()', 'text/javascript; charset=utf-8')],
]);
const documents = {
  load: () => ({ openapi: {}, schemas: new Map<string, unknown>() }),
  apiPage: { get: async (name: string) => files.get(name) ?? null },
};

describe('the API page', () => {
  const { send } = createMemoryApp({ app: { documents } });

  it('is open, and may load nothing of another host and run nothing inline', async () => {
    const response = await send('/docs', { as: null });
    expect([response.status, await response.text()]).toEqual([200, '<html></html>']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    });
  });

  it('is not sent again to who has it', async () => {
    const etag = (await send('/docs/page.js', { as: null })).headers.get('etag') ?? '';
    const again = await send('/docs/page.js', { as: null, headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const any = await send('/docs/page.js', { as: null, headers: { 'if-none-match': '*' } });
    expect(any.status).toBe(304);
    const changed = await send('/docs/page.js', { as: null, headers: { 'if-none-match': '"x"' } });
    expect(changed.status).toBe(200);
  });

  it.each(['/', '/docs/'])('is where %s leads', async (path) => {
    const response = await send(path, { as: null });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  });

  it.each(['/docs/nothing.js', '/docs/..%2Fpackage.json', '/docs/%2e%2e%2fapi-key'])('has no %s', async (path) => {
    expect((await send(path, { as: null })).status).toBe(404);
  });

  it('is not there on a server without its files', async () => {
    expect((await createMemoryApp().send('/docs', { as: null })).status).toBe(404);
  });
});
