import { expect, it } from 'vitest';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { CONFORMANCE_LIMITS, success, type Caller } from '../target.ts';
import { bytesOf, GIF, MEDIA_SAMPLES, PNG } from './media-samples.ts';

/** §17.3, first step: what becomes of the resources that a plugin declares. */
export const resourceScenarios = ({ answer, call, request, getJson, view }: Caller): void => {
  const publish = async (...drafts: Record<string, unknown>[]) => {
    const resources = drafts.map((draft, index) => ({ id: `r${index}`, ...draft }));
    return await answer(success({ files: resources.map(({ id }) => ({ $resource: id })) }, { resources }));
  };
  const publishOne = async (draft: Record<string, unknown>) => {
    const result = await publish(draft);
    expect(result).toMatchObject({ status: 'success', error: null });
    return { result, resource: result.resources[0] as ResourceDescriptor };
  };
  const download = async ({ url }: ResourceDescriptor) => {
    const response = await request(new URL(url).pathname);
    expect(response.status).toBe(200);
    return response;
  };
  const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
    [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');

  it.each(MEDIA_SAMPLES)('recognises $name by its bytes, measures, hashes and serves it', async (sample) => {
    const { result, resource } = await publishOne({ base64: sample.base64 });
    const bytes = bytesOf(sample.base64);
    expect(resource).toMatchObject({
      id: expect.stringMatching(/^res_[0-9A-Z]{26}$/),
      kind: sample.kind,
      role: 'output',
      mimeType: sample.mimeType,
      sizeBytes: bytes.length,
      sha256: await sha256(bytes),
      access: { type: 'managed', requiresAuth: true },
      dimensions: sample.dimensions,
    });
    expect(result.data).toEqual({ files: [{ $resource: resource.id }] });
    const response = await download(resource);
    expect(response.headers.get('content-type')).toBe(sample.mimeType);
    expect(response.headers.get('etag')).toBe(`"${resource.sha256}"`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it('takes a data URI, percent-encoded or Base64', async () => {
    const written = await publishOne({ dataUri: 'data:text/plain,caf%C3%A9' });
    expect(written.resource).toMatchObject({ mimeType: 'text/plain', kind: 'text', sizeBytes: 5 });
    expect(await (await download(written.resource)).text()).toBe('café');
    const { resource } = await publishOne({ dataUri: `data:image/gif;base64,${GIF.base64}` });
    expect(resource).toMatchObject({ mimeType: 'image/gif', dimensions: { width: 1, height: 1 } });
  });

  it('takes a resource that the plugin wrote through its writer', async () => {
    const result = await call('PayloadEcho', { command: 'WriteResource', text: 'written' });
    const [resource] = result.resources;
    expect(resource).toMatchObject({ kind: 'text', fileName: 'written.txt', sizeBytes: 7 });
    expect(result.data).toEqual({ file: { $resource: resource?.id } });
    expect(await (await download(resource as ResourceDescriptor)).text()).toBe('written');
  });

  it('takes files out of data that stand there as text, and keeps none of it anywhere', async () => {
    const dataUri = `data:image/gif;base64,${GIF.base64}`;
    const result = await answer(success({ title: 'a', pictures: [{ icon: dataUri }] }));
    const [resource] = result.resources as [ResourceDescriptor];
    expect(result).toMatchObject({
      status: 'success',
      data: { title: 'a', pictures: [{ icon: { $resource: resource.id } }] },
      resources: [{ mimeType: 'image/gif', kind: 'image' }],
      warnings: [{ code: 'INLINE_EXTRACTED', details: { pointers: ['/data/pictures/0/icon'] } }],
    });
    expect(new Uint8Array(await (await download(resource)).arrayBuffer())).toEqual(bytesOf(GIF.base64));
    const kept = [result, await view(result.id, 'ai'), await getJson(`/v1/records/${result.execution.recordId}`)];
    for (const text of kept.map((value) => JSON.stringify(value))) expect(text).not.toContain(GIF.base64);
  });

  it('leaves text in data alone that only looks like Base64', async () => {
    const data = {
      digits: '0123'.repeat(500),
      words: 'Café'.normalize('NFD').repeat(4),
      alphabet: 'QUJD'.repeat(500),
      short: 'cm9zZQ==',
    };
    const result = await answer(success(data));
    expect(result).toMatchObject({ status: 'success', resources: [], warnings: [] });
    expect(result.data).toEqual(data);
  });

  it.each([
    ['declared as PNG', { mimeType: 'image/png' }, 'image/png'],
    ['named .png', { fileName: 'photo.png' }, 'image/png'],
    ['in a data URI that says PNG', { base64: undefined, dataUri: `data:image/png;base64,${GIF.base64}` }, 'image/png'],
    ['declared as text', { mimeType: 'text/html', kind: 'text' }, 'text/html'],
  ])('does not believe a GIF that is %s', async (_, disguise, declared) => {
    const { result, resource } = await publishOne({ base64: GIF.base64, ...disguise });
    expect(resource).toMatchObject({ mimeType: 'image/gif', kind: 'image' });
    expect(result.warnings).toMatchObject([
      { code: 'MIME_MISMATCH', target: 'resources.0.mimeType', details: { declared, actual: 'image/gif' } },
    ]);
    expect((await download(resource)).headers.get('content-type')).toBe('image/gif');
  });

  it('serves what could carry a script as a download', async () => {
    const { resource } = await publishOne({
      dataUri: 'data:text/html,<script>alert(1)</script>',
      fileName: 'page.html',
    });
    const { headers } = await download(resource);
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['../../../etc/passwd', 'a/../../secret.txt', '/etc/passwd', 'C:\\secret.txt', '..\\secret.txt'])(
    'refuses the path %s, which leads out of the resource directory',
    async (localPath) => {
      const result = await publish({ localPath });
      expect(result).toMatchObject({
        status: 'error',
        data: null,
        resources: [],
        error: { code: 'FORBIDDEN', target: 'resources.0.localPath' },
      });
      if (/^(?:\/|C:)/.test(localPath))
        expect(JSON.stringify(result)).not.toContain(JSON.stringify(localPath).slice(1, -1));
    },
  );

  it('refuses a resource that is too large, and keeps a result of as much as is allowed', async () => {
    const most = bytesToBase64(new Uint8Array(CONFORMANCE_LIMITS.resourceBytes));
    const tooMuch = bytesToBase64(new Uint8Array(CONFORMANCE_LIMITS.resourceBytes + 1));
    expect((await publishOne({ base64: most })).resource.sizeBytes).toBe(CONFORMANCE_LIMITS.resourceBytes);
    for (const draft of [{ base64: tooMuch }, { dataUri: `data:;base64,${tooMuch}` }]) {
      const result = await publish(draft);
      expect(result).toMatchObject({ status: 'error', resources: [], error: { code: 'RESOURCE_TOO_LARGE' } });
    }
  });

  it.each([
    ['Base64 that is none', { base64: 'not base64!' }],
    ['Base64 with its padding cut', { base64: PNG.base64.slice(0, -1) }],
    ['a data URI that is none', { dataUri: 'image/png;base64,AAAA' }],
    ['a URL of another scheme', { url: 'file:///etc/passwd' }],
    ['two places at once', { base64: PNG.base64, url: 'https://vcp.example/a.png' }],
    ['no place at all', { fileName: 'a.png' }],
  ])('refuses a draft with %s', async (_, draft) => {
    const result = await publish(draft);
    expect(result).toMatchObject({ status: 'error', resources: [], error: { code: 'INVALID_TOOL_RESULT' } });
  });

  it('gives two resources of the same bytes two ids and one blob', async () => {
    const result = await publish(
      { base64: PNG.base64 },
      { dataUri: `data:image/png;base64,${PNG.base64}`, fileName: 'again.png' },
    );
    const [first, second] = result.resources as [ResourceDescriptor, ResourceDescriptor];
    expect(second.id).not.toBe(first.id);
    expect(second.sha256).toBe(first.sha256);
    expect(result.data).toEqual({ files: [{ $resource: first.id }, { $resource: second.id }] });
    expect((await download(second)).headers.get('etag')).toBe((await download(first)).headers.get('etag'));
  });

  it('refuses two resources of one id', async () => {
    const result = await publish({ id: 'same', base64: PNG.base64 }, { id: 'same', base64: GIF.base64 });
    expect(result.error).toMatchObject({ code: 'INVALID_TOOL_RESULT', target: 'resources.1.id' });
  });

  it('describes an external URL without its credentials, and keeps no bytes of it', async () => {
    const { resource } = await publishOne({
      url: 'https://user:pass@vcp.invalid/pictures/cat.png?size=2',
      mimeType: 'image/png',
    });
    expect(resource).toMatchObject({
      kind: 'image',
      url: 'https://vcp.invalid/pictures/cat.png?size=2',
      fileName: 'cat.png',
      sizeBytes: null,
      sha256: null,
      access: { type: 'external', requiresAuth: false },
    });
    const response = await request(`/v1/resources/${resource.id}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'EXTERNAL_RESOURCE' });
  });

  it('serves a part of a resource, and nothing to those without a key', async () => {
    const { resource } = await publishOne({ dataUri: 'data:text/plain,0123456789' });
    const path = new URL(resource.url).pathname;
    const part = await request(path, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
    expect((await request(path, { headers: { authorization: 'Bearer not-the-key-of-this' } })).status).toBe(401);
  });

  it('keeps no Base64 in the result, its views and its record', async () => {
    const { result } = await publishOne({ base64: PNG.base64 });
    const stored = [
      result,
      await view(result.id, 'canonical'),
      await view(result.id, 'ai'),
      await view(result.id, 'audit'),
      await getJson(`/v1/records/${result.execution.recordId}`),
    ];
    for (const text of stored.map((value) => JSON.stringify(value))) {
      expect(text).not.toContain(PNG.base64.slice(0, 24));
      expect(text).not.toMatch(/;base64,/);
    }
  });
};

const bytesToBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};
