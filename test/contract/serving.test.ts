// Downloads and uploads over real sockets: what a client does to its connection must not hold files open here.
import { createAdaptorServer } from '@hono/node-server';
import { parse } from 'content-disposition';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { get as httpGet, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import type { ResourceDescriptor } from '../../src/protocol/resource.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { createMemoryApp } from '../support/memory-runtime.ts';

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const KEY = 'Bearer key-of-alice';
/** More than sockets and their buffers hold between here and there. */
const LARGE = 24 * 1024 * 1024;
const bytes = (length: number): Buffer => Buffer.alloc(length, 'vcp-serving-16b ');

const start = async (limits: Partial<Limits> = {}) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-serving-')));
  cleanups.push(() => rmSync(root, { recursive: true, force: true }));
  const app = createMemoryApp({ blobs: await createFsResourceStore(root), limits });
  const server = createAdaptorServer({ fetch: app.app.fetch }) as Server;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...app,
    port,
    url,
    server,
    root,
    /** Files of the store that this process has open. */
    openFiles: () => openBelow(root),
    incoming: () => readdirSync(join(root, 'incoming')),
    put: async (body: Buffer, fileName = 'a.bin') => {
      const { sha256, sizeBytes } = await app.blobs.put(body, { maxBytes: body.length });
      const descriptor = descriptorOf(app.ids.next('resource'), fileName, sha256, sizeBytes);
      await app.calls.saveResource({
        descriptor,
        owner: 'alice',
        resultId: null,
        createdAt: '2026-11-30T12:00:00.000Z',
      });
      return descriptor;
    },
  };
};

const descriptorOf = (id: string, fileName: string, sha256: string, sizeBytes: number): ResourceDescriptor => ({
  id,
  kind: 'binary',
  role: 'output',
  mimeType: 'application/octet-stream',
  fileName,
  sizeBytes,
  sha256,
  url: `https://vcp.example/v1/resources/${id}`,
  access: { type: 'managed', expiresAt: null, requiresAuth: true },
  source: { type: 'generated', provider: null },
  dimensions: null,
  durationMs: null,
  metadata: {},
});

const openBelow = (root: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(root) ? [path] : [];
    } catch {
      return [];
    }
  });

/** Gives up after a time that only a hang takes. */
const until = async (holds: () => boolean): Promise<void> => {
  for (let round = 0; round < 1_000 && !holds(); round += 1) await sleep(10);
  expect(holds()).toBe(true);
};

const ask = async (port: number, path: string): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  cleanups.push(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\n\r\n`);
  return socket;
};

describe.runIf(process.platform === 'linux')('a download', () => {
  it('closes its file when the client leaves in the middle', async () => {
    const { put, port, openFiles } = await start();
    const { id } = await put(bytes(LARGE));
    const sockets = await Promise.all(Array.from({ length: 10 }, () => ask(port, `/v1/resources/${id}`)));
    for (const socket of sockets) {
      await once(socket, 'data');
      socket.pause();
    }
    await until(() => openFiles().length === 10);
    for (const socket of sockets) socket.destroy();
    await until(() => openFiles().length === 0);
  });

  it('closes its file when the client leaves before anything was sent', async () => {
    const { put, port, openFiles, send } = await start();
    const { id } = await put(bytes(LARGE));
    for (let round = 0; round < 20; round += 1) (await ask(port, `/v1/resources/${id}`)).destroy();
    // What was asked before has been dealt with when this has an answer.
    expect((await send(`/v1/resources/${id}`, { method: 'HEAD' })).status).toBe(200);
    await until(() => openFiles().length === 0);
  });

  it('is cut off, and its file closed, when the client takes nothing for too long', async () => {
    const { put, port, openFiles, logged } = await start({ downloadStallMs: 200 });
    const { id } = await put(bytes(LARGE));
    const socket = await ask(port, `/v1/resources/${id}`);
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.pause();
    await until(() => openFiles().length === 0);
    expect(logged.map(({ event }) => event)).toContain('http.download-stalled');
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
  });

  it('goes on for a client that is slow but there', async () => {
    const { put, url, openFiles } = await start({ downloadStallMs: 2_000 });
    const whole = bytes(4 * 1024 * 1024);
    const { id, sha256 } = await put(whole);
    const hash = createHash('sha256');
    let length = 0;
    const response = await new Promise<IncomingMessage>((done, fail) =>
      httpGet(`${url}/v1/resources/${id}`, { headers: { authorization: KEY } }, done).on('error', fail),
    );
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (length % (1024 * 1024) < chunk.length) await sleep(50);
      length += chunk.length;
      hash.update(chunk);
    }
    expect([length, hash.digest('hex')]).toEqual([whole.length, sha256]);
    await until(() => openFiles().length === 0);
  });

  it('opens no file for HEAD, for what the client has, and for a part that is not there', async () => {
    const { put, url, openFiles } = await start();
    const { id, sha256 } = await put(bytes(1_000));
    const fetched = (init: RequestInit) =>
      fetch(`${url}/v1/resources/${id}`, {
        ...init,
        headers: { authorization: KEY, ...(init.headers as Record<string, string>) },
      });
    const head = await fetched({ method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      '1000',
      0,
    ]);
    expect((await fetched({ headers: { 'if-none-match': `"${sha256}"` } })).status).toBe(304);
    const beyond = await fetched({ headers: { range: 'bytes=1000-' } });
    expect(beyond.status).toBe(416);
    await beyond.text();
    expect(openFiles()).toEqual([]);
  });
});

describe('the name of a download', () => {
  it.each([
    ['CJK', '月球上的猫.png'],
    ['emoji', '🐈‍⬛ cat 😀.png'],
    ['quotes', `a "b" 'c'.txt`],
    ['percent signs', '100%41 %2F.txt'],
    ['semicolons and backslashes', 'a; filename=b\\c.txt'],
    ['300 characters', `${'长'.repeat(296)}.txt`],
    ['300 ASCII characters', `${'x'.repeat(296)}.txt`],
  ])('with %s comes through HTTP as it is', async (_, name) => {
    const { put, url } = await start();
    const { id } = await put(Buffer.from('x'), name);
    const response = await fetch(`${url}/v1/resources/${id}`, { headers: { authorization: KEY } });
    const header = response.headers.get('content-disposition') as string;
    expect(header).toMatch(/^attachment; filename[\x20-\x7e]+$/);
    expect(parse(header).parameters['filename']).toBe(name);
    expect(await response.text()).toBe('x');
  });

  it.each([
    ['line breaks', 'a\r\nset-cookie: b=c\r\n\r\n<html>.txt'],
    ['a lone half of a character', 'a\ud83d.txt'],
  ])('with %s, however it got into the store, makes no header of its own', async (_, name) => {
    const { put, url } = await start();
    const { id } = await put(Buffer.from('x'), name);
    const response = await fetch(`${url}/v1/resources/${id}`, { headers: { authorization: KEY } });
    expect([response.status, response.headers.get('set-cookie'), await response.text()]).toEqual([200, null, 'x']);
  });
});

describe('an upload', () => {
  const send = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/resources`, {
      method: 'POST',
      body,
      headers: { authorization: KEY, ...headers },
      duplex: 'half',
    } as RequestInit);
  const streamOf = (length: number) => {
    let left = length;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const size = Math.min(left, 64 * 1024);
        if (size > 0) controller.enqueue(new Uint8Array(bytes(size)));
        left -= size;
        if (left === 0) controller.close();
      },
    });
  };

  it('comes back byte for byte, sent whole, in chunks and as a form', async () => {
    const { url } = await start();
    const whole = new Uint8Array(bytes(3 * 1024 * 1024 + 17));
    const sha256 = createHash('sha256').update(whole).digest('hex');
    const form = new FormData();
    form.set('file', new File([whole], '月 "1".bin'));
    for (const body of [whole, streamOf(whole.length), form]) {
      const response = await send(url, body as BodyInit);
      const descriptor = (await response.json()) as ResourceDescriptor;
      expect([response.status, descriptor.sizeBytes]).toEqual([201, whole.length]);
      const back = await fetch(`${url}/v1/resources/${descriptor.id}`, { headers: { authorization: KEY } });
      const hash = createHash('sha256')
        .update(Buffer.from(await back.arrayBuffer()))
        .digest('hex');
      expect([descriptor.sha256, hash]).toEqual([sha256, sha256]);
      expect(descriptor.fileName).toBe(body === form ? '月 "1".bin' : 'upload.txt');
    }
  });

  it('that is too large hears so, told or not, and leaves nothing behind', async () => {
    const { url, incoming, openFiles } = await start({ resourceBytes: 1024 * 1024 });
    const form = new FormData();
    form.set('file', new File([new Uint8Array(bytes(1024 * 1024 + 1))], 'a.bin'));
    for (const body of [new Uint8Array(bytes(1024 * 1024 + 1)), streamOf(8 * 1024 * 1024), form]) {
      const response = await send(url, body as BodyInit);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'CONTENT_TOO_LARGE']);
    }
    await until(() => incoming().length === 0);
    expect(openFiles()).toEqual([]);
    expect((await send(url, 'small')).status).toBe(201);
  });

  it('that breaks off leaves nothing behind', async () => {
    const { port, incoming, openFiles, logged } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`POST /v1/resources HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nContent-Length: 1000000\r\n\r\n`);
    socket.write(bytes(100_000));
    await until(() => incoming().length === 1);
    socket.destroy();
    await until(() => incoming().length === 0);
    expect(openFiles()).toEqual([]);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
