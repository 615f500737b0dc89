import { describe, expect, it } from 'vitest';
import { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { defaultFileName } from '../../../src/resources/resource-file-name.ts';
import { base64Of, MAGIC, ULID } from '../../support/sample-values.ts';
import { publish, publishing } from '../../support/publishing.ts';

const PNG = base64Of(MAGIC.png);
const draft = (fields: Record<string, unknown> = {}) => ({ id: 'picture', base64: PNG, ...fields });

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

  it.each([
    ['text/plain', 'a.txt'],
    ['text/markdown', 'a.md'],
    ['text/csv', 'a.csv'],
    ['text/html', 'a.html'],
    ['application/json', 'a.json'],
    ['application/xml', 'a.xml'],
    ['image/jpeg', 'a.jpg'],
    ['image/svg+xml', 'a.svg'],
    ['audio/mpeg', 'a.mp3'],
    ['video/quicktime', 'a.mov'],
    ['application/gzip', 'a.gz'],
    ['text/x-unheard-of', 'a'],
    ['application/octet-stream', 'a'],
  ])('that nobody gave end as those of %s do', (mimeType, fileName) => {
    expect(defaultFileName('a', mimeType)).toBe(fileName);
  });

  it('that a writer gave are made harmless', async () => {
    const { resources } = await publish(
      { data: null, resources: [{ id: 'a', resourceId: `res_${ULID}` }] },
      { written: { bytes: MAGIC.png, fileName: '../x/y\n.png', mimeType: 'picture' } },
    );
    expect(resources[0]).toMatchObject({ fileName: 'y.png', mimeType: 'image/png' });
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
    ['https://example.com/a%2Fb%00.png', 'b.png'],
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
