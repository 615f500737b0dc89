import { describe, expect, it } from 'vitest';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { createMemoryApp, type MemoryApp } from '../../support/memory-runtime.ts';
import { MAGIC } from '../../support/sample-values.ts';

type Sent = { readonly headers?: Record<string, string>; readonly query?: string; readonly as?: string };

const upload = async (
  app: MemoryApp,
  body: NonNullable<RequestInit['body']>,
  { headers = {}, query = '', as = 'alice' }: Sent = {},
) => {
  const response = await app.send(`/v1/resources${query}`, { method: 'POST', body, headers, as });
  const answer = (await response.json()) as ResourceDescriptor & { code: string; detail: string };
  return { status: response.status, headers: response.headers, answer };
};

/** Written by hand: what is on the wire is what is tested. */
const form = (...parts: readonly (readonly [head: string, content: string])[]) => ({
  body: `${parts.map(([head, content]) => `--B\r\n${head}\r\n\r\n${content}\r\n`).join('')}--B--\r\n`,
  headers: { 'content-type': 'multipart/form-data; boundary=B' },
});

const png = () => new Uint8Array(MAGIC.png);

describe('an upload', () => {
  it('is answered with the descriptor of what was kept, and where it is', async () => {
    const app = createMemoryApp();
    const { status, headers, answer } = await upload(app, 'hello', {
      headers: { 'content-type': 'text/markdown', 'content-disposition': 'attachment; filename=notes.md' },
    });
    expect(status).toBe(201);
    expect(answer).toEqual({
      id: expect.stringMatching(/^res_/),
      kind: 'text',
      role: 'input',
      mimeType: 'text/markdown',
      fileName: 'notes.md',
      sizeBytes: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      url: `https://vcp.example/v1/resources/${answer.id}/notes.md`,
      access: { type: 'managed', expiresAt: null, requiresAuth: true },
      source: { type: 'upload', provider: null },
      dimensions: null,
      durationMs: null,
      metadata: {},
    });
    expect(headers.get('location')).toBe(answer.url);
    const served = await app.send(`/v1/resources/${answer.id}`);
    expect([served.status, await served.text()]).toEqual([200, 'hello']);
  });

  it.each([
    ['text/csv; charset=Windows-1252', 'windows-1252', 'text/csv; charset=windows-1252'],
    ['text/plain;charset="GBK"', 'gbk', 'text/plain; charset=gbk'],
    ['text/plain; format=flowed; charset=latin1', 'windows-1252', 'text/plain; charset=windows-1252'],
    ['text/plain; charset=UTF-8', undefined, 'text/plain; charset=utf-8'],
    ['text/plain; charset=utf-7', undefined, 'text/plain; charset=utf-8'],
    ['text/plain; charset=x\tset', undefined, 'text/plain; charset=utf-8'],
    ['text/plain', undefined, 'text/plain; charset=utf-8'],
    ['application/x-unknown; charset=gbk', undefined, 'application/x-unknown'],
  ])('of a text keeps the encoding that was declared: %s', async (contentType, kept, served) => {
    const app = createMemoryApp();
    const { answer } = await upload(app, Uint8Array.of(0x63, 0x61, 0x66, 0xe9), {
      headers: { 'content-type': contentType },
    });
    expect(answer.metadata['charset']).toBe(kept);
    const response = await app.send(`/v1/resources/${answer.id}`);
    expect(response.headers.get('content-type')).toBe(served);
  });

  it('in a form keeps the encoding of its part', async () => {
    const app = createMemoryApp();
    const sent = form([
      'Content-Disposition: form-data; name=a; filename=a.txt\r\nContent-Type: text/plain; charset=big5',
      'x',
    ]);
    const { answer } = await upload(app, sent.body, sent);
    expect(answer).toMatchObject({ mimeType: 'text/plain', metadata: { charset: 'big5' } });
  });

  it('belongs to the key that sent it', async () => {
    const app = createMemoryApp();
    const { answer } = await upload(app, 'hello');
    const statuses = await Promise.all(
      ['alice', 'operator', 'bob'].map(async (as) => (await app.send(`/v1/resources/${answer.id}`, { as })).status),
    );
    expect(statuses).toEqual([200, 200, 404]);
  });

  it('may come in chunks of unknown number', async () => {
    const app = createMemoryApp();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of ['hel', '', 'lo']) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    const response = await app.app.request('/v1/resources', {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer key-of-alice' },
      duplex: 'half',
    } as RequestInit);
    expect([response.status, ((await response.json()) as ResourceDescriptor).sizeBytes]).toEqual([201, 5]);
  });

  it.each<[string, Sent, string, string]>([
    ['a name in the query', { query: '?fileName=a.png' }, 'a.png', 'image/png'],
    ['a type that is wrong', { headers: { 'content-type': 'text/html' } }, 'upload.png', 'image/png'],
    ['a name that is wrong', { query: '?fileName=a.html' }, 'a.html', 'image/png'],
    [
      'a form type that curl makes up',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'upload.png',
      'image/png',
    ],
    [
      'the name of a path',
      { headers: { 'content-disposition': 'attachment; filename="../../etc/a.png"' } },
      'a.png',
      'image/png',
    ],
    [
      'what nobody sees in its name',
      { headers: { 'content-disposition': "attachment; filename*=UTF-8''a%00%E2%80%AEb.png" } },
      'ab.png',
      'image/png',
    ],
    [
      'an encoded name',
      { headers: { 'content-disposition': "attachment; filename*=UTF-8''%E6%9C%88%20%F0%9F%98%80.png" } },
      '月 😀.png',
      'image/png',
    ],
    [
      'a name in both places',
      { query: '?fileName=b.png', headers: { 'content-disposition': 'attachment; filename=a.png' } },
      'b.png',
      'image/png',
    ],
  ])('with %s is called what its bytes are', async (_, sent, fileName, mimeType) => {
    const { answer } = await upload(createMemoryApp(), png(), sent);
    expect([answer.fileName, answer.mimeType]).toEqual([fileName, mimeType]);
  });

  it('understands a name that was typed as UTF-8', async () => {
    const typed = String.fromCharCode(...new TextEncoder().encode('attachment; filename="月.txt"'));
    const { answer } = await upload(createMemoryApp(), 'a', { headers: { 'content-disposition': typed } });
    expect(answer.fileName).toBe('月.txt');
  });

  it('knows how large a picture is', async () => {
    const gif = Uint8Array.from(atob('R0lGODlhAwACAIAAAAAAAP///yH5BAAAAAAALAAAAAADAAIAAAICjF8AOw=='), (c) =>
      c.charCodeAt(0),
    );
    expect((await upload(createMemoryApp(), gif)).answer).toMatchObject({
      kind: 'image',
      dimensions: { width: 3, height: 2 },
    });
  });

  it('may be empty', async () => {
    const { status, answer } = await upload(createMemoryApp(), '');
    expect([status, answer.sizeBytes]).toEqual([201, 0]);
  });

  it('is refused when it is too large, whether it says so or not', async () => {
    const app = createMemoryApp({ limits: { resourceBytes: 4 } });
    const told = await upload(app, 'hello', { headers: { 'content-length': '5' } });
    const counted = await upload(app, 'hello');
    for (const { status, answer } of [told, counted]) {
      expect([status, answer.code, answer.detail]).toEqual([
        413,
        'CONTENT_TOO_LARGE',
        'a resource has at most 4 bytes here (VCP_LIMIT_RESOURCE_BYTES)',
      ]);
    }
    expect((await upload(app, 'four')).status).toBe(201);
  });

  it('may be larger than other bodies', async () => {
    const app = createMemoryApp({ limits: { requestBodyBytes: 8 } });
    expect((await upload(app, 'more than eight bytes')).status).toBe(201);
    expect((await app.call({ tool: 'Sample' })).status).toBe(413);
  });

  it('is refused when its bytes are encoded', async () => {
    const { status, answer } = await upload(createMemoryApp(), 'x', { headers: { 'content-encoding': 'gzip' } });
    expect([status, answer.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('needs a key that calls tools', async () => {
    const app = createMemoryApp();
    expect((await upload(app, 'x', { as: 'node' })).status).toBe(403);
    expect((await app.send('/v1/resources', { method: 'POST', body: 'x', as: null })).status).toBe(401);
  });

  it('counts against the rate of the key', async () => {
    const app = createMemoryApp();
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await upload(app, 'x', { as: 'slow' })).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
  });

  it.each(['?fileName=a/b', '?fileName=', '?name=a'])('is refused with %s', async (query) => {
    const { status, answer } = await upload(createMemoryApp(), 'x', { query });
    expect([status, answer.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('an uploaded form', () => {
  it('gives its file', async () => {
    const { body, headers } = form([
      'Content-Disposition: form-data; name="file"; filename="a.md"\r\nContent-Type: text/markdown',
      'one\r\ntwo',
    ]);
    const app = createMemoryApp();
    const { status, answer } = await upload(app, body, { headers });
    expect([status, answer.fileName, answer.mimeType]).toEqual([201, 'a.md', 'text/markdown']);
    expect(await (await app.send(`/v1/resources/${answer.id}`)).text()).toBe('one\r\ntwo');
  });

  it.each([
    ['filename="月 😀; \\"q\\".txt"', '月 😀; '],
    ['filename="a%22b%0D%0Ac.txt"', 'a"bc.txt'],
    ['filename="C:\\dir\\a.txt"', 'a.txt'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="/etc/.."', 'upload.txt'],
    ['filename="invoice\u202Etxt.exe\u2066"', 'invoicetxt.exe'],
    ['name="x"', 'upload.txt'],
  ])('reads the name from %s', async (parameter, name) => {
    const { body, headers } = form([
      `Content-Disposition: form-data; name="file"; ${parameter}\r\nContent-Type: text/plain`,
      'x',
    ]);
    expect((await upload(createMemoryApp(), body, { headers })).answer.fileName).toBe(name);
  });

  it('is the same in whatever pieces it comes', async () => {
    const text = `--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${'line\r\n--not\r\n'.repeat(3_000)}\r\n--B--\r\n`;
    const bytes = new TextEncoder().encode(text);
    const hashes = new Set<string | null>();
    for (const size of [1, 7, 1_024, 30_000, bytes.length]) {
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (at >= bytes.length) return controller.close();
          controller.enqueue(bytes.slice(at, at + size));
          at += size;
        },
      });
      const { app } = createMemoryApp();
      const response = await app.request('/v1/resources', {
        method: 'POST',
        body,
        headers: { authorization: 'Bearer key-of-alice', 'content-type': 'multipart/form-data; boundary=B' },
        duplex: 'half',
      } as RequestInit);
      const answer = (await response.json()) as ResourceDescriptor;
      expect([size, response.status, answer.sizeBytes, answer.fileName]).toEqual([size, 201, 39_000, 'a.txt']);
      hashes.add(answer.sha256);
    }
    expect(hashes.size).toBe(1);
  });

  it.each<[string, { body: string; headers: Record<string, string> }, RegExp]>([
    [
      'two files',
      form(
        ['Content-Disposition: form-data; name="a"; filename="a"', 'x'],
        ['Content-Disposition: form-data; name="b"; filename="b"', 'y'],
      ),
      /more than one part/,
    ],
    ['no part', form(), /no part/],
    [
      'a boundary of more than 70 characters',
      {
        body: `--${'B'.repeat(71)}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nx\r\n--${'B'.repeat(71)}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${'B'.repeat(71)}` },
      },
      /boundary of more than 70 characters/,
    ],
    ['no boundary', { ...form(), headers: { 'content-type': 'multipart/form-data' } }, /boundary/],
    [
      'no end',
      { ...form(), body: '--B\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nx' },
      /breaks off/,
    ],
    ['no headers', form(['', 'x']), /headers|content-disposition/],
  ])('with %s is refused', async (_, { body, headers }, detail) => {
    const { status, answer } = await upload(createMemoryApp(), body, { headers });
    expect([status, answer.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.detail).toMatch(detail);
  });

  it('is refused when it never comes to its file', async () => {
    const app = createMemoryApp({ limits: { resourceBytes: 100_000 } });
    const junk = new Uint8Array(10_000).fill(0x2e);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += junk.length;
        controller.enqueue(junk);
      },
    });
    const response = await app.app.request('/v1/resources', {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer key-of-alice', 'content-type': 'multipart/form-data; boundary=B' },
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(250_000);
  });

  it('is refused when its file is too large', async () => {
    const app = createMemoryApp({ limits: { resourceBytes: 4 } });
    const { body, headers } = form(['Content-Disposition: form-data; name="a"; filename="a"', 'hello']);
    expect((await upload(app, body, { headers })).status).toBe(413);
  });
});
