import { describe, expect, it } from 'vitest';
import { requestedRange } from '../../../src/server/byte-range.ts';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { base64Of, MAGIC } from '../../support/sample-values.ts';

const TEXT = 'The quick brown fox';
const base64 = btoa(TEXT);

const withResource = async (draft: Record<string, unknown> = { base64, fileName: 'fox.txt' }) => {
  const parts = createMemoryApp({ answer: () => success(null, { resources: [{ id: 'a', ...draft }] }) });
  const result = (await (await parts.call({ tool: 'Sample' })).json()) as {
    resources: { id: string; sha256: string; url: string }[];
  };
  const [resource] = result.resources;
  if (resource === undefined) throw new Error(JSON.stringify(result));
  return { ...parts, resource, path: `/v1/resources/${resource.id}` };
};

describe('a resource', () => {
  it('is sent whole, with its type, size and tag', async () => {
    const { send, path, resource } = await withResource();
    const response = await send(path);
    expect([response.status, await response.text()]).toEqual([200, TEXT]);
    expect(
      Object.fromEntries(
        [
          'content-type',
          'content-length',
          'etag',
          'accept-ranges',
          'cache-control',
          'vary',
          'x-content-type-options',
          'content-security-policy',
          'content-disposition',
        ].map((name) => [name, response.headers.get(name)]),
      ),
    ).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '19',
      etag: `"${resource.sha256}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'Authorization',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline; filename=fox.txt',
    });
  });

  it('varies by its key in every form', async () => {
    const { send, path, resource } = await withResource();
    const sent = [{ 'if-none-match': `"${resource.sha256}"` }, { range: 'bytes=0-1' }];
    const answers = await Promise.all(sent.map(async (headers) => await send(path, { headers })));
    answers.push(await send(path, { method: 'HEAD' }));
    expect(answers.map(({ status, headers }) => [status, headers.get('vary')])).toEqual(
      [304, 206, 200].map((status) => [status, 'Authorization']),
    );
  });

  it('is the same under any name in its address', async () => {
    const { send, path } = await withResource();
    expect(await (await send(`${path}/whatever.bin`)).text()).toBe(TEXT);
  });

  it('is asked about without being sent', async () => {
    const { send, path } = await withResource();
    const response = await send(path, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '19', '']);
  });

  it.each([
    ['bytes=0-2', 206, 'The', 'bytes 0-2/19'],
    ['bytes=4-', 206, 'quick brown fox', 'bytes 4-18/19'],
    ['bytes=-3', 206, 'fox', 'bytes 16-18/19'],
    ['bytes=0-99', 206, TEXT, 'bytes 0-18/19'],
    ['bytes=0-0', 206, 'T', 'bytes 0-0/19'],
    ['bytes=5-2', 200, TEXT, null],
    ['bytes=0-1,3-4', 200, TEXT, null],
    ['lines=0-1', 200, TEXT, null],
    ['bytes=-', 200, TEXT, null],
    ['Bytes=0-2', 206, 'The', 'bytes 0-2/19'],
    ['bytes=0-2,3-4', 206, 'The q', 'bytes 0-4/19'],
    ['bytes=4-8, 0-5', 206, 'The quick', 'bytes 0-8/19'],
    ['bytes=50-60,-3', 206, 'fox', 'bytes 16-18/19'],
    ['bytes=0-1,x', 200, TEXT, null],
    ['bytes=50-60,7-3', 200, TEXT, null],
    [`bytes=${'0-1,'.repeat(33)}`, 200, TEXT, null],
  ])('is sent in part for Range %s', async (range, status, body, contentRange) => {
    const { send, path } = await withResource();
    const response = await send(path, { headers: { range } });
    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ]);
    expect(response.headers.get('content-length')).toBe(String(body.length));
  });

  it.each(['bytes=19-', 'bytes=100-200', 'bytes=-0', 'bytes=19-,50-60'])('has nothing at Range %s', async (range) => {
    const { send, path } = await withResource();
    const response = await send(path, { headers: { range } });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */19']);
    expect(((await response.json()) as { code: string }).code).toBe('RANGE_NOT_SATISFIABLE');
  });

  it('is not sent again to one who has it', async () => {
    const { send, path, resource } = await withResource();
    for (const tag of [`"${resource.sha256}"`, `W/"${resource.sha256}"`, `"x", "${resource.sha256}"`, '*']) {
      const response = await send(path, { headers: { 'if-none-match': tag } });
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
    expect((await send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('is sent whole when the part that is asked for is of another version', async () => {
    const { send, path, resource } = await withResource();
    expect((await send(path, { headers: { range: 'bytes=0-2', 'if-range': '"other"' } })).status).toBe(200);
    expect((await send(path, { headers: { range: 'bytes=0-2', 'if-range': `"${resource.sha256}"` } })).status).toBe(
      206,
    );
  });

  it('has no parts for HEAD', async () => {
    const { send, path } = await withResource();
    for (const range of ['bytes=0-2', 'bytes=99-']) {
      const response = await send(path, { method: 'HEAD', headers: { range } });
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '19']);
    }
  });

  it('says since when it is there, and answers accordingly', async () => {
    const { send, path } = await withResource();
    const lastModified = (await send(path)).headers.get('last-modified') as string;
    expect(new Date(lastModified).toUTCString()).toBe(lastModified);
    const time = Date.parse(lastModified);
    const [before, after] = [time - 1_000, time + 1_000].map((at) => new Date(at).toUTCString());
    const status = async (headers: Record<string, string | undefined>) =>
      (await send(path, { headers: headers as Record<string, string> })).status;
    expect(await status({ 'if-modified-since': lastModified })).toBe(304);
    expect(await status({ 'if-modified-since': after })).toBe(304);
    expect(await status({ 'if-modified-since': before })).toBe(200);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
    // The tag is the better evidence.
    expect(await status({ 'if-modified-since': after, 'if-none-match': '"other"' })).toBe(200);
    expect(await status({ 'if-unmodified-since': lastModified })).toBe(200);
    expect(await status({ 'if-unmodified-since': before })).toBe(412);
    expect(await status({ range: 'bytes=0-2', 'if-range': lastModified })).toBe(206);
    for (const date of [before, after, 'yesterday', '']) {
      expect(await status({ range: 'bytes=0-2', 'if-range': date })).toBe(200);
    }
  });

  it('is sent only if it is the one that If-Match names', async () => {
    const { send, path, resource } = await withResource();
    const status = async (tag: string) => (await send(path, { headers: { 'if-match': tag } })).status;
    expect(await status('*')).toBe(200);
    expect(await status(`"x", "${resource.sha256}"`)).toBe(200);
    expect(await status(`W/"${resource.sha256}"`)).toBe(412);
    const refused = await send(path, { headers: { 'if-match': '"x"' } });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([412, 'PRECONDITION_FAILED']);
  });

  it('counts a weak tag as none for If-Range', async () => {
    const { send, path, resource } = await withResource();
    const headers = { range: 'bytes=0-2', 'if-range': `W/"${resource.sha256}"` };
    expect((await send(path, { headers })).status).toBe(200);
  });

  it('is read by its owner and by operators, by nobody else', async () => {
    const { send, path } = await withResource();
    const statuses = await Promise.all(
      ['alice', 'operator', 'bob', null].map(async (as) => (await send(path, { as })).status),
    );
    expect(statuses).toEqual([200, 200, 404, 401]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a picture', { base64: base64Of(MAGIC.png), fileName: 'a.png' }, 'image/png', 'inline; filename=a.png'],
    [
      'a web page',
      { base64: btoa('<html>'), fileName: 'a.html' },
      'text/html; charset=utf-8',
      'attachment; filename=a.html',
    ],
    [
      'a drawing that can carry script',
      { base64: btoa('<svg xmlns="http://www.w3.org/2000/svg"/>'), fileName: 'a.svg', mimeType: 'image/svg+xml' },
      'image/svg+xml; charset=utf-8',
      'attachment; filename=a.svg',
    ],
    [
      'a text in another encoding',
      { base64: 'Y2Fm6Q==', fileName: 'a.txt', mimeType: 'text/plain; charset=latin1' },
      'text/plain; charset=windows-1252',
      'inline; filename=a.txt',
    ],
    [
      'a text in an encoding that nobody knows',
      { base64: 'Y2Fm6Q==', fileName: 'a.txt', metadata: { charset: 'x\r\ny: z' } },
      'text/plain; charset=utf-8',
      'inline; filename=a.txt',
    ],
    [
      'JSON',
      { base64: btoa('{}'), fileName: 'a.json' },
      'application/json; charset=utf-8',
      'attachment; filename=a.json',
    ],
    [
      'unknown bytes',
      { base64: 'AAAA', fileName: 'a.unknown' },
      'application/octet-stream',
      'attachment; filename=a.unknown',
    ],
    [
      'a quoted name',
      { base64: 'AAAA', fileName: 'a "b".bin' },
      'application/octet-stream',
      'attachment; filename="a \\"b\\".bin"',
    ],
  ])('is shown or saved as befits it: %s', async (_, draft, type, disposition) => {
    const { send, path } = await withResource(draft);
    const { headers } = await send(path);
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([type, disposition]);
  });

  it('keeps a CJK name', async () => {
    const { send, path, resource } = await withResource({ base64, fileName: '月球上的猫 😀.txt' });
    expect(decodeURIComponent(resource.url.split('/').at(-1) ?? '')).toBe('月球上的猫 😀.txt');
    const disposition = (await send(path)).headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(/filename\*=UTF-8''(.+)$/i.exec(disposition)?.[1] ?? '')).toBe('月球上的猫 😀.txt');
    expect(/^[\x20-\x7e]+$/.test(disposition)).toBe(true);
  });

  it('that is external is not kept here', async () => {
    const { send, path } = await withResource({ url: 'https://example.com/a.png' });
    const response = await send(path);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'EXTERNAL_RESOURCE']);
  });

  it('may be empty', async () => {
    const { send, path } = await withResource({ base64: '', fileName: 'empty.txt' });
    const response = await send(path);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
    expect((await send(path, { headers: { range: 'bytes=0-' } })).status).toBe(416);
  });

  it('that is not there is 404', async () => {
    const { send } = createMemoryApp();
    expect((await send('/v1/resources/res_01JABCDEFGHJKMNPQRSTVWXYZ0')).status).toBe(404);
  });
});

describe('a byte range', () => {
  it.each<[string | undefined, number, unknown]>([
    [undefined, 10, 'whole'],
    ['bytes=0-9', 10, { start: 0, end: 9 }],
    [' bytes=0-9 ', 10, { start: 0, end: 9 }],
    ['bytes=9-', 10, { start: 9, end: 9 }],
    ['bytes=-20', 10, { start: 0, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    ['bytes=a-b', 10, 'whole'],
    ['bytes=1-99999999999999999999', 10, { start: 1, end: 9 }],
  ])('of %s in %i bytes is %j', (header, size, expected) => {
    expect(requestedRange(header, size)).toEqual(expected);
  });
});
