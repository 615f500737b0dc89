import { describe, expect, it } from 'vitest';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { createMemoryApp, type MemoryApp } from '../../support/memory-runtime.ts';

const uploaded = async (limits = {}, now: () => number = Date.now) => {
  const app = createMemoryApp({
    limits,
    clock: { now, monotonic: () => performance.now() },
    app: { clock: { now, monotonic: () => performance.now() } },
  });
  const response = await app.send('/v1/resources?fileName=月.txt', { method: 'POST', body: 'hello' });
  return { ...app, descriptor: (await response.json()) as ResourceDescriptor };
};

const link = async ({ send }: MemoryApp, id: string, body?: object, as = 'alice') => {
  const response = await send(`/v1/resources/${id}/links`, {
    method: 'POST',
    as,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return {
    status: response.status,
    answer: (await response.json()) as ResourceDescriptor & { code: string; detail: string },
  };
};

const pathOf = (url: string): string => url.replace('https://vcp.example', '');

describe('a link', () => {
  it('opens a resource to somebody without a key, for a time', async () => {
    let now = Date.parse('2026-11-30T12:00:00Z');
    const app = await uploaded({}, () => now);
    const { status, answer } = await link(app, app.descriptor.id, { expiresInMs: 60_000 });
    expect(status).toBe(201);
    expect(answer).toEqual({
      ...app.descriptor,
      url: expect.stringMatching(/\?exp=1796040060&sig=/),
      access: { type: 'ephemeral', expiresAt: '2026-11-30T12:01:00.000Z', requiresAuth: false },
    });
    const path = pathOf(answer.url);
    const opened = await app.send(path, { as: null });
    expect([opened.status, await opened.text()]).toEqual([200, 'hello']);
    // Nobody keeps it for longer than it lasts.
    expect(opened.headers.get('cache-control')).toBe('private, max-age=60');
    expect(opened.headers.get('vary')).toBeNull();
    expect((await app.send(path, { as: null, headers: { range: 'bytes=1-2' } })).status).toBe(206);
    expect((await app.send(path, { as: null, method: 'HEAD' })).status).toBe(200);

    now += 60_000;
    const expired = await app.send(path, { as: null });
    expect([expired.status, await expired.json()]).toMatchObject([
      410,
      { code: 'LINK_EXPIRED', detail: 'this address has expired; ask whoever gave it to you for a new one' },
    ]);
  });

  it('lasts ten minutes when nothing is said', async () => {
    const now = Date.parse('2026-11-30T12:00:00Z');
    const app = await uploaded({}, () => now);
    expect((await link(app, app.descriptor.id)).answer.access.expiresAt).toBe('2026-11-30T12:10:00.000Z');
    expect((await link(app, app.descriptor.id, {})).answer.access.expiresAt).toBe('2026-11-30T12:10:00.000Z');
  });

  it('never lasts longer than the server allows', async () => {
    const app = await uploaded({ linkMs: 5_000 });
    const { status, answer } = await link(app, app.descriptor.id, { expiresInMs: 5_001 });
    expect([status, answer.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.detail).toContain('/expiresInMs must be at most 5s (5000 ms)');
    const usual = (await link(app, app.descriptor.id)).answer;
    expect(Date.parse(usual.access.expiresAt!) - Date.now()).toBeLessThanOrEqual(5_000);
  });

  it('opens nothing when it was tampered with', async () => {
    const app = await uploaded();
    const other = (await (
      await app.send('/v1/resources', { method: 'POST', body: 'other', as: 'bob' })
    ).json()) as ResourceDescriptor;
    const path = pathOf((await link(app, app.descriptor.id)).answer.url);
    for (const wrong of [
      path.replace(app.descriptor.id, other.id),
      path.replace(/exp=\d/, 'exp=9'),
      path.slice(0, -1),
      `${path}A`,
      path.replace(/sig=.*/, 'sig='),
      path.replace(/exp=\d+&/, ''),
    ]) {
      const refused = await app.send(wrong, { as: null });
      expect([wrong, refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
        wrong,
        403,
        'INVALID_SIGNATURE',
      ]);
    }
  });

  it('without its signature needs a key like any address', async () => {
    const app = await uploaded();
    const path = pathOf((await link(app, app.descriptor.id)).answer.url).replace(/\?.*/, '');
    expect((await app.send(path, { as: null })).status).toBe(401);
    expect((await app.send(path, { as: 'bob' })).status).toBe(404);
  });

  it('is made by those who see the resource, and by nobody else', async () => {
    const app = await uploaded();
    const statuses = [];
    for (const as of ['alice', 'operator', 'bob', 'nobody'])
      statuses.push((await link(app, app.descriptor.id, {}, as)).status);
    expect(statuses).toEqual([201, 201, 404, 401]);
    expect((await link(app, 'res_01JABCDEFGHJKMNPQRSTVWXYZ0')).status).toBe(404);
  });

  it.each([{ expiresInMs: 0 }, { expiresInMs: 1.5 }, { expiresInMs: '5m' }, { expires: 5_000 }])(
    'is not made for %j',
    async (body) => {
      const app = await uploaded();
      expect((await link(app, app.descriptor.id, body)).status).toBe(400);
    },
  );

  it('is not logged', async () => {
    const app = await uploaded();
    const { url } = (await link(app, app.descriptor.id)).answer;
    await app.send(pathOf(url), { as: null });
    expect(JSON.stringify(app.logged)).not.toContain(new URL(url).searchParams.get('sig'));
  });

  it('opens nothing else of the server', async () => {
    const app = await uploaded();
    const search = new URL((await link(app, app.descriptor.id)).answer.url).search;
    for (const path of ['/v1/tools', '/v1/records']) {
      expect((await app.send(`${path}${search}`, { as: null })).status).toBe(401);
    }
    const posted = await app.send(`/v1/resources/${app.descriptor.id}${search}`, { as: null, method: 'POST' });
    expect(posted.status).toBe(401);
  });
});
