// Real sockets on loopback; that addresses and redirects are judged is proved in guarded-fetch.test.ts.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../adapters/node/guarded-fetch.ts';
import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { base64Of, MAGIC } from '../support/sample-values.ts';
import { publishing, type PublishingOptions } from '../support/publishing.ts';

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

const serve = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  toClose.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const PNG = Buffer.from(base64Of(MAGIC.png), 'base64');

const mirror = async (
  url: string,
  draft: Record<string, unknown> = {},
  options: PublishingOptions = {},
  open = true,
) => {
  const guarded = createGuardedFetch({ allowed: open ? [parseAddressRange('127.0.0.1')!] : [] });
  toClose.push(guarded.close);
  return await publishing(
    { data: { $resource: 'a' }, resources: [{ id: 'a', url, ...draft }] },
    { command: { mirror: true }, fetch: guarded.fetch, ...options },
  );
};

describe('an external resource of a command that mirrors', () => {
  it('is fetched into the store and described by its bytes', async () => {
    const host = await serve((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(PNG));
    const { published } = await mirror(`http://${host}/pictures/a%20b.png?x=1`, { mimeType: 'image/gif' });
    expect(published?.resources).toMatchObject([
      {
        mimeType: 'image/png',
        kind: 'image',
        fileName: 'a b.png',
        sizeBytes: 33,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        url: expect.stringContaining('https://vcp.example/'),
        access: { type: 'managed' },
        source: { type: 'external', provider: '127.0.0.1' },
        dimensions: { width: 3, height: 2 },
      },
    ]);
    expect(published?.warnings).toMatchObject([{ code: 'MIME_MISMATCH', target: 'resources.0.mimeType' }]);
  });

  it('has the type that the server gives when the bytes say nothing, rather than the plugin’s', async () => {
    const host = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b'),
    );
    const { published } = await mirror(`http://${host}/x`, { mimeType: 'text/markdown' });
    expect(published?.resources[0]).toMatchObject({ mimeType: 'text/csv', kind: 'text' });
  });

  it('is asked for without credentials, and none are told', async () => {
    let authorization: string | undefined = 'not asked';
    const host = await serve((request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(500).end();
    });
    const { published } = await mirror(`http://user:hunter2@${host}/x?token=hunter3`);
    expect(authorization).toBeUndefined();
    expect(published?.resources[0]).toMatchObject({ url: `http://${host}/x?token=hunter3`, sha256: null });
    expect(JSON.stringify(published)).not.toContain('hunter2');
    expect(JSON.stringify(published?.warnings)).not.toContain('hunter3');
  });

  it.each<[string, RequestListener, string]>([
    ['it is not there', (_, response) => response.writeHead(404).end('no'), 'STATUS'],
    ['it is too large', (_, response) => response.writeHead(200).end(Buffer.alloc(2_000)), 'TOO_LARGE'],
    [
      'it unpacks to more than is allowed',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
      'TOO_LARGE',
    ],
    ['it takes too long', (_, response) => response.writeHead(200).write('a'), 'TIMEOUT'],
    [
      'it breaks off',
      (_, response) => response.writeHead(200, { 'content-length': 10 }).write('a', () => response.destroy()),
      'CONNECTION_FAILED',
    ],
    [
      'it leads to an address that is not public',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      'BLOCKED_ADDRESS',
    ],
  ])('stays where it is, with a warning, when %s', async (_, handle, code) => {
    const host = await serve(handle);
    const { published } = await mirror(`http://${host}/x.bin`, {}, { limits: { resourceBytes: 1_000, mirrorMs: 500 } });
    expect(published?.resources).toMatchObject([
      { url: `http://${host}/x.bin`, access: { type: 'external' }, sha256: null },
    ]);
    expect(published?.warnings).toMatchObject([
      { code: 'MIRROR_FAILED', target: 'resources.0.url', details: { pointer: '/resources/0/url', code } },
    ]);
  });

  it('is not fetched from this machine', async () => {
    let asked = 0;
    const host = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const { published } = await mirror(`http://${host}/x`, {}, {}, false);
    expect(published?.warnings).toMatchObject([{ code: 'MIRROR_FAILED', details: { code: 'BLOCKED_ADDRESS' } }]);
    expect(asked).toBe(0);
  });

  it('has no time left when those before it took all', async () => {
    const host = await serve((request, response) =>
      request.url === '/slow' ? void response.writeHead(200).write('a') : response.end('b'),
    );
    const resources = ['/slow', '/fast'].map((path) => ({ id: path, url: `http://${host}${path}` }));
    const guarded = createGuardedFetch({ allowed: [parseAddressRange('127.0.0.1')!] });
    toClose.push(guarded.close);
    const { published } = await publishing(
      { data: null, resources },
      { command: { mirror: true }, fetch: guarded.fetch, limits: { mirrorMs: 300 } },
    );
    expect(published?.warnings).toMatchObject([
      { target: 'resources.0.url' },
      { target: 'resources.1.url', details: { code: 'TIMEOUT' } },
    ]);
  });
});

it('stays where it is when the result has no room left for it, and the others are kept', async () => {
  const host = await serve((_, response) => response.end(Buffer.alloc(600)));
  const guarded = createGuardedFetch({ allowed: [parseAddressRange('127.0.0.1')!] });
  toClose.push(guarded.close);
  const resources = [1, 2].map((id) => ({ id: `r${id}`, url: `http://${host}/${id}` }));
  const { published } = await publishing(
    { data: null, resources },
    { command: { mirror: true }, fetch: guarded.fetch, limits: { resourceBytesPerResult: 1_000 } },
  );
  expect(published?.resources).toMatchObject([{ sizeBytes: 600 }, { access: { type: 'external' } }]);
  expect(published?.warnings).toMatchObject([{ target: 'resources.1.url', details: { code: 'TOO_LARGE' } }]);
});

it('is not fetched for any other command', async () => {
  let asked = 0;
  const host = await serve((_, response) => {
    asked += 1;
    response.end();
  });
  const { published } = await mirror(`http://${host}/x`, {}, { command: {} });
  expect(published).toMatchObject({ resources: [{ access: { type: 'external' } }], warnings: [] });
  expect(asked).toBe(0);
});
