import { describe, expect, it } from 'vitest';
import { base64Of, MAGIC } from '../../support/sample-values.ts';
import { publish } from '../../support/publishing.ts';

const bytesOfLength = (start: readonly number[], length: number) => [
  ...start,
  ...Array.from({ length: length - start.length }, (_, index) => index % 251),
];
const PNG = base64Of(bytesOfLength(MAGIC.png, 300));
const PNG_URI = `data:image/png;base64,${PNG}`;
const reference = { $resource: expect.stringMatching(/^res_[0-9A-Z]{26}$/) };

/** Command fields with one property declared so. */
const declaring = (field: Record<string, unknown>) => ({
  command: { outputSchema: { type: 'object', properties: { file: field } } },
});

describe('a file that stands in data as text', () => {
  it('becomes a resource, its field a reference, and a warning says so', async () => {
    const untouched = { list: [1, 'two', { three: null }] };
    const data = { title: 'a', picture: PNG_URI, untouched };
    const published = await publish({ data });
    expect(published.data).toEqual({ title: 'a', picture: reference, untouched });
    expect((published.data as typeof data).untouched).toBe(untouched);
    expect(data.picture).toBe(PNG_URI);
    expect(published.resources).toMatchObject([
      {
        id: (published.data as { picture: { $resource: string } }).picture.$resource,
        mimeType: 'image/png',
        kind: 'image',
        role: 'output',
        sizeBytes: 300,
        fileName: 'picture.png',
        access: { type: 'managed' },
      },
    ]);
    expect(published.warnings).toEqual([
      {
        code: 'INLINE_EXTRACTED',
        message: 'image/png of 300 bytes stood in a field as text; a file belongs in resources',
        target: 'data.picture',
        details: { resourceId: published.resources[0]?.id, pointers: ['/data/picture'], fieldCount: 1 },
      },
    ]);
    expect(published.embedded).toBe(1);
  });

  it('is found at the root, in lists, and deep down', async () => {
    expect((await publish({ data: PNG_URI })).data).toEqual(reference);
    expect((await publish({ data: [0, [PNG_URI]] })).data).toEqual([0, [reference]]);
    let deep: unknown = PNG_URI;
    let expected: unknown = reference;
    for (let level = 0; level < 50; level += 1) [deep, expected] = [{ a: deep }, { a: expected }];
    expect((await publish({ data: deep })).data).toEqual(expected);
  });

  it('is one resource, however often the same text stands there', async () => {
    const data = { rows: Array.from({ length: 1_000 }, () => ({ icon: PNG_URI })) };
    const { resources, warnings, data: after } = await publish({ data });
    expect(resources).toHaveLength(1);
    expect(new Set((after as typeof data).rows.map(({ icon }) => JSON.stringify(icon))).size).toBe(1);
    expect(warnings).toMatchObject([{ code: 'INLINE_EXTRACTED', details: { fieldCount: 1_000 } }]);
    expect(warnings[0]).toHaveProperty('details.pointers.length', 16);
  });

  it.each<[string, string, string]>([
    ['Base64 of a picture', PNG, 'image/png'],
    ['Base64 of a PDF', base64Of(bytesOfLength(MAGIC.pdf, 200)), 'application/pdf'],
    ['Base64 of a ZIP', base64Of(bytesOfLength([0x50, 0x4b, 3, 4, 20, 0], 200)), 'application/zip'],
    ['a percent-encoded data URI', 'data:text/csv;charset=utf-8,a%2Cb%0A', 'text/csv'],
    ['a data URI without a type', `data:;base64,${PNG}`, 'image/png'],
    ['a data URI with parameters', `DATA:image/png;name=a.png;charset=x;BASE64,${PNG}`, 'image/png'],
    ['a data URI whose padding is encoded', 'data:text/plain;base64,YQ%3D%3D', 'text/plain'],
    ['a drawing as it is often written', "data:image/svg+xml;utf8,<svg xmlns='x' width='1'></svg>", 'image/svg+xml'],
    ['a drawing on lines of its own', 'data:image/svg+xml,\n<svg>\n<path d="M0 0" />\n</svg>\n', 'image/svg+xml'],
    ['a drawing that is encoded', 'data:image/svg+xml,%3Csvg%20width=%221%22/%3E', 'image/svg+xml'],
    ['HTML that claims to be a picture', `data:image/png;base64,${btoa('<!doctype html><p>x')}`, 'text/html'],
  ])('is taken for what it is: %s', async (_, text, mimeType) => {
    const { data, resources } = await publish({ data: { field: text } });
    expect(data).toEqual({ field: reference });
    expect(resources).toMatchObject([{ mimeType }]);
  });

  it.each<[string, string]>([
    ['40 KB that look like Base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZn'.repeat(1_000)],
    ['40 KB of one letter', 'A'.repeat(40_000)],
    ['a hash in hexadecimal', 'deadbeef'.repeat(16)],
    ['a token', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'.repeat(10)],
    ['a small picture nobody declared', base64Of(MAGIC.gif)],
    ['prose', 'data: the results, as they came'],
    ['prose with a type', 'data:text/plain, the results as they came'],
    ['prose with the type of a film', 'data:video/mp4, as in this sentence about video'],
    ['one word after the type of a film', 'data:video/mp4,film'],
    ['a type and its encoding', 'data:image/png,%89PNG'],
    ['prose with the type of a drawing', 'data:image/svg+xml, <b>bold</b> drawings'],
    ['an address of nothing', 'data:,'],
    ['an address of nothing typed', 'data:image/png;base64,'],
    ['text after a comma', 'data:,plain'],
    ['an address within a text', `see ![](${PNG_URI})`],
    ['the bytes of a program', base64Of(bytesOfLength([0x4d, 0x5a], 300))],
  ])('is not seen where there is none: %s', async (_, text) => {
    const data = { field: text };
    const published = await publish({ data });
    expect(published.data).toBe(data);
    expect(published).toMatchObject({ resources: [], warnings: [], embedded: 0 });
  });

  it.each<[string, string, string]>([
    ['missing padding', 'data:image/png;base64,iVBORw0KGgo', 'its length 11 is not a multiple of 4'],
    ['wrong padding', 'data:image/png;base64,A===', 'its padding is wrong'],
    ['bits left over', 'data:image/png;base64,AB==', 'its padding is wrong'],
    [
      'the URL-safe alphabet',
      'data:image/png;base64,AA-_',
      'character 2 is not of the Base64 alphabet (this is the URL-safe alphabet; use the standard one)',
    ],
    [
      'lines',
      `data:image/png;base64,${PNG.slice(0, 76)}\n${PNG.slice(76, 151)}`,
      'character 76 is not of the Base64 alphabet',
    ],
    ['broken percent-encoding', 'data:text/plain,100%', 'its percent-encoding is broken'],
    ['a picture cut off', PNG.slice(0, 301), 'its length 301 is not a multiple of 4'],
  ])('stays when it cannot be decoded, with a warning: %s', async (_, text, reason) => {
    const data = { field: text };
    const published = await publish({ data });
    expect(published.data).toBe(data);
    expect(published.resources).toEqual([]);
    expect(published.warnings).toEqual([
      {
        code: 'INLINE_NOT_EXTRACTED',
        message: `what seems to be a file as text cannot be decoded and was left as it is: ${reason}`,
        target: 'data.field',
        details: { pointer: '/data/field' },
      },
    ]);
  });

  it('tells of a few texts that cannot be decoded, not of thousands', async () => {
    const data = Array.from({ length: 2_000 }, (_, index) => `data:a/b;base64,${'A'.repeat(index * 4 + 1)}`);
    expect((await publish({ data })).warnings).toHaveLength(16);
  });

  it('is looked for in extensions and in the details of an error, and nowhere else', async () => {
    const published = await publish({
      status: 'error',
      data: null,
      error: { code: 'UPSTREAM_ERROR', message: PNG_URI, details: { screenshot: PNG_URI } },
      extensions: { 'vendor.example': { icon: `data:text/plain,x` } },
    });
    expect(published.error).toMatchObject({ message: PNG_URI, details: { screenshot: reference } });
    expect(published.extensions).toEqual({ 'vendor.example': { icon: reference } });
    expect(published.warnings.map(({ target }) => target)).toEqual([
      'extensions.["vendor.example"].icon',
      'error.details.screenshot',
    ]);
  });
});

describe('a field that the output schema declares to be Base64', () => {
  it.each<[string, Record<string, unknown>]>([
    ['contentEncoding', { type: 'string', contentEncoding: 'base64' }],
    ['format byte', { type: 'string', format: 'byte' }],
    ['a combination', { anyOf: [{ type: 'null' }, { contentEncoding: 'BASE64' }] }],
  ])('is always a reference: %s', async (_, field) => {
    const { data, resources } = await publish({ data: { file: 'AAEC', other: 'AAEC' } }, declaring(field));
    expect(data).toEqual({ file: reference, other: 'AAEC' });
    expect(resources).toMatchObject([{ mimeType: 'application/octet-stream', sizeBytes: 3, fileName: 'file' }]);
  });

  it('gives its type where the bytes do not', async () => {
    const field = { contentEncoding: 'base64', contentMediaType: 'text/csv' };
    expect((await publish({ data: { file: btoa('a,b') } }, declaring(field))).resources).toMatchObject([
      { mimeType: 'text/csv' },
    ]);
    expect((await publish({ data: { file: PNG } }, declaring(field))).resources).toMatchObject([
      { mimeType: 'image/png' },
    ]);
  });

  it('is found through references, lists, tuples, patterns and rest schemas', async () => {
    const outputSchema = {
      $defs: {
        file: { contentEncoding: 'base64' },
        node: { properties: { next: { $ref: '#/$defs/node' }, it: { $ref: '#/$defs/file' } } },
      },
      properties: {
        list: { items: { properties: { it: { $ref: '#/$defs/file' } } } },
        tuple: { prefixItems: [{ type: 'string' }, { $ref: '#/$defs/file' }] },
        chain: { $ref: '#/$defs/node' },
      },
      patternProperties: { '^file_': { $ref: '#/$defs/file' } },
      additionalProperties: { properties: { it: { contentEncoding: 'base64' } } },
    };
    const data = {
      list: [{ it: 'AAEC' }, { it: 'AAED' }],
      tuple: ['AAEC', 'AAEC', 'AAEC'],
      chain: { next: { next: { it: 'AAEC' } } },
      file_1: 'AAEC',
      other: { it: 'AAEC' },
    };
    expect((await publish({ data }, { command: { outputSchema } })).data).toEqual({
      list: [{ it: reference }, { it: reference }],
      tuple: ['AAEC', reference, 'AAEC'],
      chain: { next: { next: { it: reference } } },
      file_1: reference,
      other: { it: reference },
    });
  });

  it('stays empty when it is, and stays text when it is no Base64', async () => {
    const field = { contentEncoding: 'base64' };
    const empty = await publish({ data: { file: '' } }, declaring(field));
    expect(empty).toMatchObject({ data: { file: '' }, resources: [], warnings: [] });
    const text = await publish({ data: { file: 'hello' } }, declaring(field));
    expect(text).toMatchObject({ data: { file: 'hello' }, warnings: [{ code: 'INLINE_NOT_EXTRACTED' }] });
  });
});

describe('a field that the output schema keeps as text', () => {
  it.each<[string, string]>([
    ['Base64 of a PDF', base64Of(bytesOfLength(MAGIC.pdf, 200))],
    ['a data URI', 'data:text/plain,hello'],
  ])('stays one when it is %s', async (_, text) => {
    const field = { type: 'string', 'x-inline': 'keep' };
    const data = { file: text };
    expect(await publish({ data }, declaring(field))).toMatchObject({ data, resources: [], warnings: [] });
    const list = { list: [text], other: text };
    const outputSchema = { $defs: { kept: field }, properties: { list: { items: { $ref: '#/$defs/kept' } } } };
    expect((await publish({ data: list }, { command: { outputSchema } })).data).toEqual({ ...list, other: reference });
  });

  it('stays one although it is declared as Base64 as well', async () => {
    const field = { contentEncoding: 'base64', 'x-inline': 'keep' };
    expect((await publish({ data: { file: 'AAEC' } }, declaring(field))).data).toEqual({ file: 'AAEC' });
  });
});

describe('limits', () => {
  const uri = (index: number) => `data:text/plain,${'x'.repeat(100)}${index}`;

  it.each<[string, Record<string, unknown>, Record<string, number>, string, string]>([
    ['bytes of one', { a: 1, b: { c: uri(1) } }, { resourceBytes: 100 }, '/data/b/c', 'it is larger than 100 bytes'],
    [
      'bytes of all',
      { list: [uri(1), uri(2), uri(3)] },
      { resourceBytesPerResult: 250 },
      '/data/list/2',
      'the resources of the result would be too large with it',
    ],
    [
      'their number',
      { list: [uri(1), uri(2), uri(3)] },
      { resourcesPerResult: 2 },
      '/data/list/2',
      'the result has as many resources as it may have',
    ],
  ])('bound %s: what is more stays, with a warning', async (_, data, limits, pointer, reason) => {
    const { warnings, data: after } = await publish({ data }, { limits });
    expect(warnings.filter(({ code }) => code === 'INLINE_NOT_EXTRACTED')).toMatchObject([
      { message: `a file as text was left as it is: ${reason}`, details: { pointer } },
    ]);
    expect(JSON.stringify(after)).toContain('"data:text/plain,xxx');
  });

  it('cost no result its data: 64 of 70 icons are resources, the others stay', async () => {
    const rows = Array.from({ length: 70 }, (_, index) => ({ icon: btoa(String(1_000 + index)) }));
    const icon = { type: 'string', format: 'byte' };
    const command = { outputSchema: { properties: { rows: { items: { properties: { icon } } } } } };
    const { data, resources, warnings } = await publish({ data: { rows } }, { command });
    expect(resources).toHaveLength(64);
    const after = (data as { rows: object[] }).rows;
    expect(after.slice(0, 64)).toEqual(rows.slice(0, 64).map(() => ({ icon: reference })));
    expect(after.slice(64)).toEqual(rows.slice(64));
    expect(warnings.filter(({ code }) => code === 'INLINE_NOT_EXTRACTED')).toHaveLength(6);
  });

  it('bound the fields that hold the same file', async () => {
    const many = (count: number) => ({ data: Array.from({ length: count }, () => 'data:text/plain,x') });
    expect((await publish(many(100_000))).resources).toHaveLength(1);
    const { data, resources, warnings } = await publish(many(100_001));
    expect(resources).toHaveLength(1);
    expect((data as unknown[]).slice(-2)).toEqual([reference, 'data:text/plain,x']);
    expect(warnings).toMatchObject([{ code: 'INLINE_NOT_EXTRACTED', target: 'data' }, { code: 'INLINE_EXTRACTED' }]);
  });

  it('count what was declared as well', async () => {
    const resources = [{ id: 'a', base64: PNG }];
    const limits = { resourcesPerResult: 2 };
    expect((await publish({ data: [uri(1)], resources }, { limits })).data).toEqual([reference]);
    expect((await publish({ data: [uri(1), uri(2)], resources }, { limits })).data).toEqual([reference, uri(2)]);
  });
});
