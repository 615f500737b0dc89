import { describe, expect, it } from 'vitest';
import { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { base64Of, descriptor, MAGIC, ULID } from '../../support/sample-values.ts';
import { publish, publishing } from '../../support/publishing.ts';

const PNG = base64Of(MAGIC.png);
const draft = (fields: Record<string, unknown> = {}) => ({ id: 'picture', base64: PNG, ...fields });

describe('publishing', () => {
  it('describes a picture by its bytes', async () => {
    const { resources, warnings } = await publish({ data: null, resources: [draft()] });
    expect(ResourceDescriptor.safeParse(resources[0]).success).toBe(true);
    expect(resources[0]).toEqual({
      id: expect.stringMatching(/^res_[0-9A-Z]{26}$/),
      kind: 'image',
      role: 'output',
      mimeType: 'image/png',
      fileName: 'picture.png',
      sizeBytes: 33,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: `https://vcp.example/${resources[0]?.id}/picture.png`,
      access: { type: 'managed', expiresAt: null, requiresAuth: true },
      source: { type: 'generated', provider: null },
      dimensions: { width: 3, height: 2 },
      durationMs: null,
      metadata: {},
    });
    expect(warnings).toEqual([]);
  });

  it('replaces the plugin’s own ids wherever they stand, and nothing else', async () => {
    const data = {
      picture: 'picture',
      list: [{ deep: { image: { $resource: 'picture' } } }, { $resource: 'other' }],
      untouched: { a: [1] },
    };
    const published = await publish({
      data,
      resources: [draft(), draft({ id: 'other' })],
      presentation: { summary: 'picture', primaryResourceId: 'other' },
      aiAdvice: { intent: 'display_resource', message: 'picture', resourceIds: ['picture', 'other'] },
    });
    const [first, second] = published.resources.map((resource) => resource.id);
    expect(first).not.toBe(second);
    expect(published.data).toEqual({
      picture: 'picture',
      list: [{ deep: { image: { $resource: first } } }, { $resource: second }],
      untouched: { a: [1] },
    });
    expect((published.data as typeof data).untouched).toBe(data.untouched);
    expect(published.presentation).toMatchObject({ summary: 'picture', primaryResourceId: second });
    expect(published.aiAdvice).toMatchObject({ message: 'picture', resourceIds: [first, second] });
    expect(data.list[1]).toEqual({ $resource: 'other' });
  });

  it('keeps the same bytes once', async () => {
    const { resources } = await publish({ data: null, resources: [draft(), draft({ id: 'again' })] });
    expect(resources[0]?.sha256).toBe(resources[1]?.sha256);
    expect(resources[0]?.id).not.toBe(resources[1]?.id);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['data', { data: { a: [{ $resource: 'missing' }] } }, '/data/a/0/$resource'],
    ['presentation', { data: null, presentation: { primaryResourceId: 'missing' } }, '/presentation/primaryResourceId'],
    [
      'advice',
      { data: null, aiAdvice: { intent: 'relay', resourceIds: ['picture', 'missing'] } },
      '/aiAdvice/resourceIds/1',
    ],
    ['a published id that this result does not have', { data: { $resource: `res_${ULID}` } }, '/data/$resource'],
  ])('refuses a reference to nothing in %s', async (_, payload, pointer) => {
    const { failure } = await publishing({ resources: [draft()], ...payload });
    expect(failure).toMatchObject({ code: 'INVALID_TOOL_RESULT', details: { pointer } });
  });

  it('refuses two drafts with one id, and too many', async () => {
    expect((await publishing({ data: null, resources: [draft(), draft()] })).failure).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      details: { pointer: '/resources/1/id' },
    });
    const many = Array.from({ length: 5 }, (_, n) => draft({ id: `r${n}` }));
    expect(
      (await publishing({ data: null, resources: many }, { limits: { resourcesPerResult: 4 } })).failure,
    ).toMatchObject({ details: { pointer: '/resources' } });
    expect(
      (await publishing({ data: null, resources: many }, { limits: { resourcesPerResult: 5 } })).failure,
    ).toBeNull();
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'bad Base64',
      { base64: 'AAA' },
      'INVALID_TOOL_RESULT',
      '/resources/0/base64 cannot be decoded: its length 3 is not a multiple of 4',
    ],
    [
      'text posing as Base64',
      { base64: 'not base64 at all!!!' },
      'INVALID_TOOL_RESULT',
      '/resources/0/base64 cannot be decoded: character 3 is not of the Base64 alphabet',
    ],
    [
      'a bad data URI',
      { base64: undefined, dataUri: 'image/png;base64,AAAA' },
      'INVALID_TOOL_RESULT',
      '/resources/0/dataUri cannot be decoded: it is not of the form data:[type][;base64],…',
    ],
    [
      'a resource that does not exist',
      { base64: undefined, resourceId: `res_${ULID}` },
      'FILE_NOT_FOUND',
      '/resources/0/resourceId names a resource that does not exist',
    ],
    [
      'a file where there are no files',
      { base64: undefined, localPath: 'a.png' },
      'FORBIDDEN',
      '/resources/0/localPath leads out of the resource directory of this call',
    ],
    [
      'an address that is none',
      { base64: undefined, url: 'not a url' },
      'INVALID_TOOL_RESULT',
      '/resources/0/url must be an absolute http or https URL',
    ],
    [
      'an address of a file',
      { base64: undefined, url: 'file:///etc/passwd' },
      'INVALID_TOOL_RESULT',
      '/resources/0/url must be an absolute http or https URL',
    ],
    [
      'a script as an address',
      { base64: undefined, url: 'javascript:alert(1)' },
      'INVALID_TOOL_RESULT',
      '/resources/0/url must be an absolute http or https URL',
    ],
  ])('refuses %s', async (_, fields, code, message) => {
    expect((await publishing({ data: null, resources: [draft(fields)] })).failure).toMatchObject({ code, message });
  });

  it('bounds one resource and all of them together', async () => {
    const big = base64Of(Array.from({ length: 300 }, () => 65));
    const alone = await publishing(
      { data: null, resources: [draft({ base64: big })] },
      { limits: { resourceBytes: 299 } },
    );
    expect(alone.failure).toMatchObject({
      code: 'RESOURCE_TOO_LARGE',
      message: '/resources/0/base64 is larger than 299 bytes',
    });
    const uri = await publishing(
      { data: null, resources: [draft({ base64: undefined, dataUri: `data:;base64,${big}` })] },
      { limits: { resourceBytes: 299 } },
    );
    expect(uri.failure).toMatchObject({ code: 'RESOURCE_TOO_LARGE' });
    const both = [draft({ base64: big }), draft({ id: 'b', base64: big })];
    expect(
      (await publishing({ data: null, resources: both }, { limits: { resourceBytesPerResult: 599 } })).failure,
    ).toMatchObject({ code: 'RESOURCE_TOO_LARGE', details: { pointer: '/resources' } });
    expect(
      (
        await publishing(
          { data: null, resources: both },
          { limits: { resourceBytes: 300, resourceBytesPerResult: 600 } },
        )
      ).failure,
    ).toBeNull();
  });

  it('warns of a type that the bytes contradict, and replaces it', async () => {
    const { resources, warnings } = await publish({
      data: null,
      resources: [draft({ mimeType: 'application/pdf', kind: 'document' })],
    });
    expect(resources[0]).toMatchObject({ mimeType: 'image/png', kind: 'image' });
    expect(warnings).toEqual([
      {
        code: 'MIME_MISMATCH',
        message: 'the resource was declared as application/pdf, but its bytes are image/png',
        target: 'resources.0.mimeType',
        details: { declared: 'application/pdf', actual: 'image/png' },
      },
    ]);
  });

  it('takes a type from a data URI', async () => {
    const { resources } = await publish({
      data: null,
      resources: [draft({ base64: undefined, dataUri: 'data:text/csv,a%2Cb' })],
    });
    expect(resources[0]).toMatchObject({ mimeType: 'text/csv', kind: 'text', sizeBytes: 3, fileName: 'picture.csv' });
  });

  it('finds what the plugin wrote, and what an earlier call left to this caller', async () => {
    const id = `res_${ULID}`;
    const written = await publish(
      { data: { $resource: 'a' }, resources: [{ id: 'a', resourceId: id }] },
      { written: { bytes: MAGIC.gif, fileName: 'b.gif', mimeType: 'image/gif' } },
    );
    expect(written.resources[0]).toMatchObject({
      mimeType: 'image/gif',
      fileName: 'b.gif',
      sizeBytes: 13,
      dimensions: { width: 5, height: 4 },
    });
    const found = await publish(
      { data: null, resources: [{ id: 'a', resourceId: id }] },
      { earlier: descriptor({ id, fileName: 'old.png' }) },
    );
    expect(found.resources[0]).toMatchObject({ sha256: 'a'.repeat(64), fileName: 'old.png', sizeBytes: 183_920 });
    expect(found.resources[0]?.id).not.toBe(id);
  });
});

describe('file names', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ id: '..' }, 'resource.png'],
    [{ id: '.' }, 'resource.png'],
    [{ id: '../../etc/passwd' }, '-..-etc-passwd'],
    [{ id: '输出 图片' }, '输出-图片.png'],
    [{ id: '///' }, '-.png'],
    [{ id: 'a', fileName: '月球.png' }, '月球.png'],
  ])('of %j are %s', async (fields, fileName) => {
    const { resources } = await publish({ data: null, resources: [draft(fields)] });
    expect(resources[0]?.fileName).toBe(fileName);
    expect(ResourceDescriptor.safeParse(resources[0]).success).toBe(true);
  });

  it('that a writer gave are made harmless', async () => {
    const { resources } = await publish(
      { data: null, resources: [{ id: 'a', resourceId: `res_${ULID}` }] },
      { written: { bytes: MAGIC.png, fileName: '../x/y\n.png', mimeType: 'picture' } },
    );
    expect(resources[0]).toMatchObject({ fileName: '..xy.png', mimeType: 'image/png' });
    expect(ResourceDescriptor.safeParse(resources[0]).success).toBe(true);
  });
});

describe('external resources', () => {
  const external = async (url: string, fields: Record<string, unknown> = {}) =>
    (await publish({ data: null, resources: [{ id: 'a', url, ...fields }] })).resources[0];

  it('are described and never fetched', async () => {
    expect(await external('https://example.com/pictures/%E7%8C%AB.png', { mimeType: 'image/png' })).toMatchObject({
      kind: 'image',
      mimeType: 'image/png',
      fileName: '猫.png',
      sizeBytes: null,
      sha256: null,
      access: { type: 'external', expiresAt: null, requiresAuth: false },
      source: { type: 'external', provider: 'example.com' },
    });
  });

  it('lose the credentials in their address', async () => {
    expect((await external('https://user:secret@example.com/a.png?size=2#x'))?.url).toBe(
      'https://example.com/a.png?size=2#x',
    );
  });

  it.each([
    ['https://example.com/', 'a'],
    ['https://example.com/..%2F', 'a'],
    ['https://example.com/%2e%2e', 'a'],
    ['https://example.com/a%2Fb%00.png', 'ab.png'],
    ['https://example.com/%ff', 'a'],
  ])('at %s are named %s', async (url, fileName) => {
    const resource = await external(url);
    expect(resource?.fileName).toBe(fileName);
    expect(ResourceDescriptor.safeParse(resource).success).toBe(true);
  });
});

describe('what the manifest declares', () => {
  const outputs = { resourceOutputs: [{ field: '/image', kind: 'image', role: 'output' }] };
  const withImage = (data: unknown, fields: Record<string, unknown> = {}) =>
    publishing({ data, resources: [draft(fields)] }, { command: outputs });

  it('is met by a resource of that kind and role, or by nothing there', async () => {
    expect((await withImage({ image: { $resource: 'picture' } })).failure).toBeNull();
    expect((await withImage({})).failure).toBeNull();
    expect((await withImage({ image: null })).failure).toBeNull();
  });

  it.each<[unknown, Record<string, unknown>, string]>([
    [{ image: 'https://example.com/a.png' }, {}, 'must be a resource reference, as resourceOutputs declares'],
    [
      { image: { $resource: 'picture' } },
      { base64: base64Of(MAGIC.pdf) },
      'must be a resource of kind "image", not "document"',
    ],
    [{ image: { $resource: 'picture' } }, { role: 'preview' }, 'must be a resource with role "output", not "preview"'],
  ])('is broken by %j with %j', async (data, fields, message) => {
    expect((await withImage(data, fields)).failure).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      details: { issues: [{ pointer: '/data/image', message }] },
    });
  });

  it('does not bind an error', async () => {
    const { failure } = await publishing(
      { status: 'error', data: { image: 'none' }, error: { code: 'FORBIDDEN', message: 'm' } },
      { command: outputs },
    );
    expect(failure).toBeNull();
  });

  it('stands in for presentation and advice that a result does not have', async () => {
    const hints = {
      presentation: { preferredView: 'image-result' },
      aiAdvice: { intent: 'display_resource', resourceIds: ['picture', 'absent'] },
    };
    const own = await publish({ data: null, presentation: { summary: 'own' } }, { command: hints });
    expect(own.presentation).toMatchObject({ summary: 'own', preferredView: null });
    const usual = await publish({ data: null, resources: [draft()] }, { command: hints });
    expect(usual.presentation?.preferredView).toBe('image-result');
    expect(usual.aiAdvice?.resourceIds).toEqual([usual.resources[0]?.id]);
    const failed = await publish(
      { status: 'error', data: null, error: { code: 'FORBIDDEN', message: 'm' } },
      { command: hints },
    );
    expect([failed.presentation, failed.aiAdvice]).toEqual([null, null]);
  });
});
