import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  writePlugin(home.plugins, { name: 'Files', command: 'node', args: ['resources.mjs'] });
  const publishes = { command: 'node', args: ['publishes.mjs'] } as const;
  writePlugin(home.plugins, { name: 'Publishes', ...publishes });
  writePlugin(home.plugins, { name: 'Mirrors', ...publishes, commandMore: { mirror: true } });
  server = await startServerProcess(home);
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const published = async () => {
  const result = await server.call('Files', { how: 'picture', secret: '/nowhere/x' });
  expect(result).toMatchObject({ status: 'success', data: { file: { $resource: result.resources[0]?.id } } });
  return result.resources[0]!;
};
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, { method, headers: { authorization: `Bearer ${server.key}`, ...headers } });

describe('a published resource', () => {
  it('is served under the URL of its descriptor, byte for byte', async () => {
    const resource = await published();
    expect(resource.url.startsWith(`${server.url}/v1/resources/${resource.id}/`)).toBe(true);
    const response = await get(resource.url);
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(resource.sha256);
    expect(bytes.length).toBe(resource.sizeBytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(resource.sizeBytes),
      etag: `"${resource.sha256}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename=picture.png',
    });
  });

  it('is served in parts', async () => {
    const resource = await published();
    const whole = Buffer.from(await (await get(resource.url)).arrayBuffer());
    const size = whole.length;
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1-3', 1, 4],
      ['bytes=10-', 10, size],
      ['bytes=-4', size - 4, size],
      ['bytes=5-9999', 5, size],
      ['bytes=-9999', 0, size],
    ] as const) {
      const response = await get(resource.url, { range });
      expect({ range, status: response.status }).toEqual({ range, status: 206 });
      expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${size}`);
      expect(response.headers.get('content-length')).toBe(String(to - from));
      expect(Buffer.from(await response.arrayBuffer())).toEqual(whole.subarray(from, to));
    }
    const beyond = await get(resource.url, { range: `bytes=${size}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${size}`);
    for (const range of ['bytes=3-1', 'lines=0-1', 'bytes=0-1,3-4', 'bytes=x']) {
      const response = await get(resource.url, { range });
      expect({ range, status: response.status }).toEqual({ range, status: 200 });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(whole);
    }
  });

  it('is not sent again to whoever has it', async () => {
    const resource = await published();
    expect((await get(resource.url, { 'if-none-match': `"${resource.sha256}"` })).status).toBe(304);
    expect((await get(resource.url, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get(resource.url, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await get(resource.url, { range: 'bytes=0-1', 'if-range': `"${resource.sha256}"` })).status).toBe(206);
  });

  it('tells its facts to HEAD, without a body', async () => {
    const resource = await published();
    const response = await get(resource.url, {}, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(resource.sizeBytes));
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });

  it('is found by its id, whatever name follows', async () => {
    const resource = await published();
    for (const path of [resource.id, `${resource.id}/another-name.html`, `${resource.id}/..%2f..%2fetc%2fpasswd`]) {
      const response = await get(`${server.url}/v1/resources/${path}`);
      expect({ path, status: response.status, type: response.headers.get('content-type') }).toEqual({
        path,
        status: 200,
        type: 'image/png',
      });
      await response.arrayBuffer();
    }
  });

  it('needs the key', async () => {
    expect((await fetch((await published()).url)).status).toBe(401);
  });

  it('may be left in the middle without harm', async () => {
    const resource = await published();
    for (let round = 0; round < 20; round += 1) {
      const controller = new AbortController();
      const response = fetch(resource.url, {
        headers: { authorization: `Bearer ${server.key}` },
        signal: controller.signal,
      });
      setTimeout(() => controller.abort(), round / 4);
      await response.then((found) => found.arrayBuffer()).catch(() => undefined);
    }
    expect((await get(resource.url)).status).toBe(200);
  });
});

it('has no resource for an id that was never given', async () => {
  for (const id of ['res_01ARZ3NDEKTSV4RRFFQ69G5FAV', '..%2fapi-key', '%00', 'x'.repeat(5_000)]) {
    const response = await get(`${server.url}/v1/resources/${id}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  }
});

it('gives out no path of this host when a plugin tries to leave its directory', async () => {
  for (const how of ['parent', 'absolute', 'link', 'directory-link']) {
    const result = await server.call('Files', { how, secret: `${home.data}/api-key` });
    expect(result.error).toMatchObject({ code: 'FORBIDDEN', details: { pointer: '/resources/0/localPath' } });
    expect(JSON.stringify(result)).not.toContain(home.root);
    expect(JSON.stringify(result)).not.toContain(server.key);
  }
});

describe('a plugin', () => {
  it('has a directory published as one archive', async () => {
    const files = { 'site/index.html': '<p>', 'site/deep/a.txt': 'a', 'other.txt': 'no part of it' };
    const resources = [{ id: 'site', kind: 'directory', localPath: 'site' }];
    const result = await server.call('Publishes', { files, resources });
    expect(result).toMatchObject({ status: 'success', resources: [{ kind: 'directory', fileName: 'site.zip' }] });
    const response = await get(result.resources[0]!.url);
    expect(response.headers.get('content-type')).toBe('application/zip');
    const archive = await response.text();
    expect(archive.startsWith('PK')).toBe(true);
    expect(archive).toContain('deep/a.txt');
    expect(archive).not.toContain('other.txt');
  });

  it('that mirrors has nothing fetched from this machine, and its result is not lost', async () => {
    const resources = [{ id: 'page', url: `${server.url}/healthz` }];
    expect(await server.call('Mirrors', { resources, data: { page: { $resource: 'page' } } })).toMatchObject({
      status: 'success',
      resources: [{ url: `${server.url}/healthz`, access: { type: 'external' }, sha256: null }],
      warnings: [{ code: 'MIRROR_FAILED', details: { code: 'BLOCKED_ADDRESS' } }],
    });
  });

  it('cannot have a file from outside by a path that is encoded', async () => {
    for (const localPath of ['%2e%2e/%2e%2e/api-key', '..%2f..%2fapi-key', '..%5capi-key']) {
      expect(await server.call('Publishes', { resources: [{ id: 'key', localPath }] })).toMatchObject({
        status: 'error',
        error: { code: 'FORBIDDEN', details: { pointer: '/resources/0/localPath' } },
      });
    }
  });
});
