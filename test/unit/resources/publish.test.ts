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

  it('says how a resource that the call was given is referred to', async () => {
    const given = `res_${ULID}`;
    const { failure } = await publishing({ data: { $resource: given } });
    expect(failure?.message).toContain(
      `refers to the resource "${given}", which "resources" does not declare; one that the call was given is declared there as {"id": "any name", "resourceId": "${given}"} and referred to by that name`,
    );
    expect((await publishing({ data: { $resource: 'missing' } })).failure?.message).not.toContain('resourceId');
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

  it('gives HTML that claims to be a picture no picture’s type', async () => {
    const { resources, warnings } = await publish({
      data: null,
      resources: [
        draft({ base64: btoa('<!doctype html><script>alert(1)</script>'), mimeType: 'image/png', kind: 'image' }),
      ],
    });
    expect(resources[0]).toMatchObject({ mimeType: 'text/html', kind: 'text' });
    expect(warnings).toMatchObject([{ code: 'MIME_MISMATCH', details: { declared: 'image/png' } }]);
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
    const sha256 = '747795dda0a0e960df7becff7db8b97ca52049df8ea73570a2e41566ed6db865';
    const found = await publish(
      { data: null, resources: [{ id: 'a', resourceId: id }] },
      { earlier: descriptor({ id, fileName: 'old.png', sha256, sizeBytes: 33 }), kept: MAGIC.png },
    );
    expect(found.resources[0]).toMatchObject({ sha256, fileName: 'old.png', sizeBytes: 33 });
    expect(found.resources[0]?.id).not.toBe(id);
  });

  it('does not find what an earlier call left when its bytes have been collected', async () => {
    const id = `res_${ULID}`;
    const payload = { data: null, resources: [{ id: 'a', resourceId: id }] };
    const { failure } = await publishing(payload, { earlier: descriptor({ id, fileName: 'old.png' }) });
    expect(failure).toMatchObject({ code: 'FILE_NOT_FOUND', details: { pointer: '/resources/0/resourceId' } });
  });
});
