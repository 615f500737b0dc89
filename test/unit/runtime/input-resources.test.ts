import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { createDirectTransport, type DirectContext } from '../../../src/transport/direct/direct-transport.ts';
import { createMemoryApp, success, type MemoryApp, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { base64Of, MAGIC, manifest } from '../../support/sample-values.ts';

const RESOURCE = { $ref: 'urn:vcp:schema:1.0:resource-input' };
const takes = (inputSchema: object) => manifest({}, { inputSchema });
const takesFile = (more: object = {}) => takes({ type: 'object', properties: { file: { ...RESOURCE, ...more } } });

const server = (options: MemoryRuntimeOptions = {}) =>
  createMemoryApp({
    manifests: [takesFile()],
    // As text: a reference in `data` would have to be declared.
    answer: ({ arguments: args }) => success(JSON.stringify(args)),
    ...options,
  });

const upload = async ({ send }: MemoryApp, body: BodyInit, fileName = 'a.txt', as = 'alice') =>
  (await (await send(`/v1/resources?fileName=${fileName}`, { method: 'POST', body, as })).json()) as ResourceDescriptor;

type Answer = {
  status: string;
  data: JsonObject;
  error: { code: string; message: string; target: string; details: JsonObject };
};
const call = async (app: MemoryApp, args: object, as = 'alice') => {
  const answer = (await (await app.call({ tool: 'Sample', arguments: args }, as)).json()) as Answer;
  return typeof answer.data === 'string' ? { ...answer, data: JSON.parse(answer.data) as JsonObject } : answer;
};

const delivered = ({ id }: ResourceDescriptor, more: object = {}) => ({
  $resource: id,
  fileName: 'a.txt',
  mimeType: 'text/plain',
  sizeBytes: 5,
  ...more,
});

describe('an argument that is a resource', () => {
  it('may be an id, a reference, an address, and one that is signed', async () => {
    const app = server();
    const file = await upload(app, 'hello');
    const signed = await app.addresses.signedUrlOf(file.id, 'a.txt', Date.now() + 60_000);
    for (const given of [
      file.id,
      { $resource: file.id },
      file.url,
      `https://vcp.example/v1/resources/${file.id}`,
      signed,
    ]) {
      expect(await call(app, { file: given })).toMatchObject({ status: 'success', data: { file: delivered(file) } });
    }
    const last = app.delivered.at(-1)!;
    expect([...last.inputResources.keys()]).toEqual([file.id]);
    const input = last.inputResources.get(file.id)!;
    expect(input.descriptor).toEqual(file);
    expect(await new Response(await input.open()).text()).toBe('hello');
    expect(await new Response(await input.open({ start: 1, end: 2 })).text()).toBe('el');
  });

  it('may be given the way a model writes it', async () => {
    const app = server();
    const file = await upload(app, 'hello');
    const body = `<<<[TOOL_REQUEST]>>>\ntool_name:「始」Sample「末」,\nfile:「始」${file.id}「末」\n<<<[END_TOOL_REQUEST]>>>`;
    const response = await app.send('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
    });
    const { data } = (await response.json()) as { data: string };
    expect(JSON.parse(data)).toEqual({ file: delivered(file) });
  });

  it('is a port of its own kind', async () => {
    const { send } = server();
    const ports = (await (await send('/v1/tools/Sample/commands/Run/ports')).json()) as { inputs: object[] };
    expect(ports.inputs).toContainEqual(expect.objectContaining({ pointer: '/file', type: 'resource' }));
  });

  it('may be a data URI, which is kept as a resource of the caller', async () => {
    const app = server();
    const { data } = await call(app, { file: `data:text/html;base64,${base64Of(MAGIC.png)}` });
    expect(data['file']).toEqual({
      $resource: expect.stringMatching(/^res_/),
      fileName: 'argument.png',
      mimeType: 'image/png',
      sizeBytes: 33,
    });
    const path = `/v1/resources/${(data['file'] as { $resource: string }).$resource}`;
    expect([(await app.send(path)).status, (await app.send(path, { as: 'bob' })).status]).toEqual([200, 404]);
  });

  it('that is a text is taken as one, whatever whoever sent it said of its type', async () => {
    const app = server({ manifests: [takesFile({ 'x-resource': { kinds: ['text'], mediaTypes: ['text/*'] } })] });
    const headers = { 'content-type': 'application/octet-stream' };
    const sent = { method: 'POST', body: 'größe;preis\n1;2\n', headers, as: 'alice' };
    const file = (await (await app.send('/v1/resources?fileName=umlaut.csv', sent)).json()) as ResourceDescriptor;
    expect(file).toMatchObject({ kind: 'text', mimeType: 'text/csv' });
    expect((await call(app, { file: file.id })).status).toBe('success');
    const { data } = await call(app, { file: 'data:,hello' });
    expect(data).toMatchObject({ file: { fileName: 'argument.txt', mimeType: 'text/plain', sizeBytes: 5 } });
    expect((await call(app, { file: 'data:,a%00b' })).error.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('is looked for wherever the schema has one, and nowhere else', async () => {
    const app = server({
      manifests: [
        takes({
          type: 'object',
          properties: {
            list: { type: 'array', items: { $ref: '#/$defs/pair' } },
            either: { anyOf: [RESOURCE, { type: 'string' }] },
            text: { type: 'string' },
          },
          additionalProperties: RESOURCE,
          $defs: { pair: { type: 'array', prefixItems: [{ type: 'integer' }, RESOURCE] } },
        }),
      ],
    });
    const file = await upload(app, 'hello');
    const { data } = await call(app, {
      list: [[1, file.id]],
      either: 'just words',
      text: file.id,
      other: file.id,
      __proto__: { a: 1 },
    });
    expect(data).toEqual({ list: [[1, delivered(file)]], either: 'just words', text: file.id, other: delivered(file) });
  });

  it.each<[string, unknown, RegExp]>([
    ['that is not there', 'res_01JABCDEFGHJKMNPQRSTVWXYZ0', /names no resource that this caller may use/],
    [
      'of another server',
      'https://example.com/v1/resources/res_01JABCDEFGHJKMNPQRSTVWXYZ0',
      /no address of a resource of this server/,
    ],
    ['with a broken data URI', 'data:text/plain;base64,@@@', /cannot be decoded/],
    ['with a local name', { $resource: 'a' }, /names no resource/],
    ['with a path', '/etc/passwd', /\/file: must be a resource: its id \(res_…\)/],
    ['with a file URL', 'file:///etc/passwd', /\/file: must be a resource: its id \(res_…\)/],
    [
      'with a signature of nobody',
      `https://vcp.example/v1/resources/res_01JABCDEFGHJKMNPQRSTVWXYZ0?exp=1&sig=x`,
      /signature is not right/,
    ],
  ])('%s is refused with its pointer', async (_, given, said) => {
    const app = server();
    const { error } = await call(app, { file: given });
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', target: 'file', details: { pointer: '/file' } });
    expect(error.message).toMatch(said);
    expect(app.delivered).toEqual([]);
  });

  it('is refused when it is somebody else’s, in the words of one that is not there', async () => {
    const app = server();
    const file = await upload(app, 'hello', 'a.txt', 'bob');
    const refused = await call(app, { file: file.id });
    const missing = await call(app, { file: 'res_01JABCDEFGHJKMNPQRSTVWXYZ0' });
    expect(refused.error.message).toBe(missing.error.message);
    expect((await call(app, { file: file.url })).error.code).toBe('INVALID_ARGUMENT');
    // Who sees everything may use everything, and a signed address opens what it is for.
    expect((await call(app, { file: file.id }, 'operator')).status).toBe('success');
    const signed = await app.addresses.signedUrlOf(file.id, 'a.txt', Date.now() + 60_000);
    expect((await call(app, { file: signed })).status).toBe('success');
    const expired = await app.addresses.signedUrlOf(file.id, 'a.txt', Date.now() - 1_000);
    expect((await call(app, { file: expired })).error.message).toMatch(/expired/);
  });

  it('is refused when it lies elsewhere', async () => {
    const app = server({ answer: () => success(null, { resources: [{ id: 'a', url: 'https://example.com/a.png' }] }) });
    const made = (await (await app.call({ tool: 'Sample' })).json()) as { resources: ResourceDescriptor[] };
    const { error } = await call(app, { file: made.resources[0]!.id });
    expect([error.code, error.message]).toEqual(['INVALID_ARGUMENT', expect.stringMatching(/external/)]);
  });

  it.each<[object, string, string, string]>([
    [
      { kinds: ['image'] },
      'UNSUPPORTED_MEDIA_TYPE',
      'hello',
      '/file must be of kind image, and is of kind text (text/plain)',
    ],
    [
      { mediaTypes: ['image/*', 'application/pdf'] },
      'UNSUPPORTED_MEDIA_TYPE',
      'hello',
      '/file must be image/* or application/pdf, and is text/plain',
    ],
    [{ maxBytes: 4 }, 'RESOURCE_TOO_LARGE', 'hello', '/file must have at most 4 bytes, and has 5 bytes'],
  ])('has to meet %j', async (constraint, code, body, message) => {
    const app = server({ manifests: [takesFile({ 'x-resource': constraint })] });
    const { error } = await call(app, { file: (await upload(app, body)).id });
    expect(error).toMatchObject({
      code,
      message,
      category: 'validation',
      target: 'file',
      details: { pointer: '/file' },
    });
    expect(app.delivered).toEqual([]);
  });

  it('that meets what is asked is taken', async () => {
    const constraint = { kinds: ['image'], mediaTypes: ['image/*'], maxBytes: 33 };
    const app = server({ manifests: [takesFile({ 'x-resource': constraint })] });
    const file = await upload(app, new Uint8Array(MAGIC.png), 'a.png');
    expect((await call(app, { file: file.id })).status).toBe('success');
  });

  it('is one of as many as a call may have, and of as many bytes', async () => {
    const list = takes({ type: 'object', properties: { files: { type: 'array', items: RESOURCE } } });
    const app = server({ manifests: [list], limits: { resourcesPerResult: 2, resourceBytesPerResult: 9 } });
    const file = await upload(app, 'hello');
    expect((await call(app, { files: [file.id] })).status).toBe('success');
    expect((await call(app, { files: [file.id, file.id] })).error.code).toBe('RESOURCE_TOO_LARGE');
    expect((await call(app, { files: ['data:,', 'data:,', 'data:,'] })).error.code).toBe('INVALID_ARGUMENT');
  });

  it('stays what it is where the schema does not say so', async () => {
    const app = server({ manifests: [manifest()] });
    const file = await upload(app, 'hello');
    expect((await call(app, { file: file.id })).data).toEqual({ file: file.id });
  });
});

describe('a module in this process', () => {
  const withModule = (run: (args: { file: { $resource: string } }, context: DirectContext) => unknown) =>
    server({
      transport: createDirectTransport(
        { load: async () => ({ processToolCall: run as never }) },
        { jsonDepth: 16, jsonNodes: 1_000 },
      ),
    });

  it('opens the resources among its arguments, whole or in part', async () => {
    const app = withModule(async ({ file }, { openResource }) => {
      const whole = await new Response(await openResource(file.$resource)).text();
      const part = await new Response(await openResource(file.$resource, { start: 1, end: 3 })).text();
      return success({ whole, part });
    });
    const { data } = await call(app, { file: 'data:,hello' });
    expect(data).toEqual({ whole: 'hello', part: 'ell' });
  });

  it('opens no others', async () => {
    const app = withModule(async (_, { openResource }) =>
      success(await openResource('res_01JABCDEFGHJKMNPQRSTVWXYZ0')),
    );
    const { error } = await call(app, { file: 'data:,hello' });
    expect(error.message).toContain('is no resource among the arguments of this call');
  });
});

describe('a manifest', () => {
  it.each<[object, string]>([
    [{ kinds: ['picture'] }, '/x-resource/kinds/0'],
    [{ mediaTypes: ['png'] }, '/x-resource/mediaTypes/0'],
    [{ maxBytes: 0 }, '/x-resource/maxBytes'],
    [{ size: 1 }, '/x-resource'],
  ])('is refused with %j beside a resource', (constraint, pointer) => {
    const { registry } = server({ manifests: [takesFile({ 'x-resource': constraint })] });
    expect(registry.refused()[0]?.issues.map((issue) => issue.pointer)).toEqual([
      expect.stringContaining(`/inputSchema/properties/file${pointer}`),
    ]);
  });
});
