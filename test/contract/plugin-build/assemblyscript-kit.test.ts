// The kit for AssemblyScript, from the other side: what a guest that is made with it reads, writes and asks for.
import * as fc from 'fast-check';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAssemblyscript } from '../../../adapters/node/plugin-build/build-assemblyscript.ts';
import { runningPlugin } from '../../support/javascript-plugin.ts';
import { guestInput, guestOf, type GuestCall, type GuestHost } from '../../support/run-guest.ts';

const source = fileURLToPath(new URL('../../fixtures/assemblyscript/Kit', import.meta.url));
let folder: string;
let run: ReturnType<typeof guestOf>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vcp-kit-'));
  const { file } = await buildAssemblyscript(source, { outFile: join(folder, 'plugin.wasm') });
  run = guestOf(file);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const dataOf = async (command: string, args: object, host?: GuestHost) =>
  ((await run(guestInput(command, args), host)) as { data: unknown }).data;

describe('JSON', () => {
  it('comes out as it went in: any text, number and nesting', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 })),
        async (args) => {
          const { __proto__: _, ...rest } = args;
          const clean = JSON.parse(JSON.stringify(rest)) as object;
          expect(await dataOf('Echo', clean)).toEqual(clean);
        },
      ),
      { numRuns: 500 },
    ));

  it('keeps every number to its last bit', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 40 }),
        async (list) => {
          const data = (await dataOf('Echo', { list })) as { list: number[] };
          // JSON.stringify writes -0 as 0.
          expect(data.list).toEqual(list.map((value) => (value === 0 ? 0 : value)));
        },
      ),
      { numRuns: 300 },
    ));

  it.each([
    5e-324,
    1.7976931348623157e308,
    2 ** 53,
    2 ** 53 + 2,
    -(2 ** 53),
    1e21,
    123456789012345680000,
    0.1,
    1e-7,
    4.35,
    1e23,
    9007199254740991,
    2.2250738585072014e-308,
    0.000001,
  ])('keeps %d', async (value) => {
    expect(await dataOf('Parse', { text: JSON.stringify(value) })).toEqual({ value });
  });

  it('reads any decimal as the nearest number, as JSON.parse does', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc
            .tuple(
              fc.boolean(),
              fc.bigInt({ min: 0n, max: 10n ** 40n }),
              fc.bigInt({ min: 0n, max: 10n ** 30n }),
              fc.integer({ min: -360, max: 340 }),
            )
            .map(
              ([isNegative, whole, fraction, exponent]) => `${isNegative ? '-' : ''}${whole}.${fraction}e${exponent}`,
            ),
          { minLength: 1, maxLength: 20 },
        ),
        async (list) => {
          const { value } = (await dataOf('Parse', { text: `[${list.join(',')}]` })) as { value: (number | null)[] };
          const finite = (number: number) => (number === 0 ? 0 : Number.isFinite(number) ? number : null);
          expect(value).toEqual(list.map((text) => finite(JSON.parse(text) as number)));
        },
      ),
      { numRuns: 300 },
    ));

  it.each([
    ['9007199254740993', 9007199254740992],
    ['9007199254740995', 9007199254740996],
    ['9007199254740993.0000000000000000000000001', 9007199254740994],
    [`9007199254740993.${'0'.repeat(900)}1`, 9007199254740994],
    [`0.${'0'.repeat(400)}1e401`, 1],
    [`1${'0'.repeat(400)}e-400`, 1],
    ['2.4703282292062327208e-324', 0],
    ['2.4703282292062327209e-324', 5e-324],
    ['1.7976931348623158079e308', 1.7976931348623157e308],
    ['1.7976931348623158080e308', null],
    ['1e99999999999', null],
    ['0e99999999999', 0],
  ])('decides %s', async (text, value) => {
    expect(await dataOf('Parse', { text })).toEqual({ value });
  });

  it.each([
    ['Ratio', { a: 0, b: 0 }, '"ratio" is NaN, which JSON cannot carry'],
    ['Ratio', { a: -1, b: 0 }, '"ratio" is -Infinity, which JSON cannot carry'],
    ['Ratios', { a: 1, b: 0 }, 'a number is Infinity, which JSON cannot carry'],
  ])('ends the call at what is no number: %s of %j', async (command, args, message) => {
    const sandboxed = await runningPlugin(new Uint8Array(await readFile(join(folder, 'plugin.wasm'))));
    try {
      const { outcome } = await sandboxed.call(command, { args });
      expect(outcome).toMatchObject({ fault: 'guest-error', message: expect.stringContaining(message) });
      expect((await sandboxed.call('Ratio', { args: { a: 1, b: 2 } })).payload.data).toEqual({ ratio: 0.5 });
    } finally {
      await sandboxed.close();
    }
  });

  it('keeps halves of surrogate pairs, which no UTF-8 has', async () => {
    const text = 'a\ud800b\udc00 \ud83d\ude42 \u0000\u001f\u007f\u2028"\\/';
    expect(await dataOf('Echo', { [text]: text })).toEqual({ [text]: text });
  });

  it.each([
    ['{"a":1,}', 'a key in quotes'],
    ['[1 2]', 'a comma or a bracket'],
    ['"a', 'the end quote'],
    ['01', 'nothing may follow'],
    ['1.', 'a digit'],
    ['-', 'a digit'],
    ['"\\x"', 'no such escape'],
    ['"\\u12g4"', 'a hexadecimal digit'],
    ['"\t"', 'must be escaped'],
    ['nul', 'a word is cut off'],
    ['', 'a value is missing'],
    ['['.repeat(65), 'too deep'],
  ])('refuses %j and says why', async (text) => {
    // What the guest says of it stands in the sandbox's outcome: test/contract/plugin-build/assemblyscript-abort.test.ts.
    await expect(dataOf('Parse', { text })).rejects.toThrow(/unreachable/);
  });

  it.each([
    [' [ 1 , -0.5e+3 , true , null ] ', [1, -500, true, null]],
    ['"\\u00e9\\ud83d\\ude42\\n\\/"', 'é🙂\n/'],
    ['{"a":{},"b":[]}', { a: {}, b: [] }],
  ])('reads %j', async (text, value) => {
    expect(await dataOf('Parse', { text })).toEqual({ value });
  });
});

it('decodes what is UTF-8 and nothing else', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
      ),
      async (bytes) => {
        let expected: string | null;
        try {
          expected = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        } catch {
          expected = null;
        }
        expect(await dataOf('Decode', { bytes: [...bytes] })).toBe(expected);
      },
    ),
    { numRuns: 500 },
  ));

it('tells the guest of the call, and seeds what is random', async () => {
  const data = (await dataOf('Context', {})) as { random: number[] };
  expect(data).toMatchObject({ now: '2026-11-30T16:20:00.000Z', timeZone: 'Europe/Berlin', seed: 42, source: null });
  expect(data.random.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(data.random[0]).not.toBe(data.random[1]);
  expect(await dataOf('Context', {})).toEqual(data);
  const other = (await run(guestInput('Context', {}, { seed: 43 }))) as { data: { random: number[] } };
  expect(other.data.random).not.toEqual(data.random);
});

it('writes every part of a payload', async () => {
  expect(await run(guestInput('Payload', {}))).toEqual({
    status: 'partial',
    data: { file: { $resource: 'a' } },
    warnings: [
      { code: 'LEFT_OUT', message: 'some' },
      { code: 'OLD', message: 'and old' },
    ],
    resources: [{ id: 'a', resourceId: 'res_1', kind: 'text', role: 'log', fileName: 'a.txt' }],
    aiAdvice: { intent: 'relay', message: 'Say it.', resourceIds: ['a'] },
    extensions: { 'vendor.x': true },
    presentation: { title: 'T', summary: 'S', primaryResourceId: 'a' },
  });
});

it('says which failure it is, and of which argument', async () => {
  expect(await run(guestInput('No', {}))).toEqual({
    status: 'error',
    data: null,
    error: { code: 'COMMAND_NOT_FOUND', message: 'there is no command No', target: 'command' },
  });
});

describe('host functions', () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  it.each<[string, object, { answer: object; bytes?: Uint8Array }, GuestCall, object]>([
    [
      'writeResource',
      { text: 'ä🙂 und mehr als acht' },
      { answer: { ok: { resourceId: 'res_9' } } },
      {
        name: 'resource_write',
        request: { fileName: 'a.txt', mimeType: 'text/plain' },
        bytes: bytesOf('ä🙂 und mehr als acht'),
      },
      { value: { resourceId: 'res_9' }, bytes: '' },
    ],
    [
      'readResource',
      {},
      { answer: { ok: { size: 9, offset: 2 } }, bytes: bytesOf('abcdefghi') },
      { name: 'resource_read', request: { resourceId: 'res_1', offset: 2, length: 3 }, bytes: null },
      { value: { size: 9, offset: 2 }, bytes: 'abcdefghi' },
    ],
    [
      'progress',
      {},
      { answer: { ok: null } },
      { name: 'progress', request: { progress: 0.5, message: 'half', stage: 'work' }, bytes: null },
      { value: null, bytes: '' },
    ],
    [
      'log',
      {},
      { answer: { ok: null } },
      { name: 'log', request: { level: 'warning', message: 'ä🙂' }, bytes: null },
      { value: null, bytes: '' },
    ],
    [
      'getConfig',
      {},
      { answer: { ok: { value: 'v' } } },
      { name: 'config_get', request: { key: 'KEY' }, bytes: null },
      { value: { value: 'v' }, bytes: '' },
    ],
    [
      'getValue',
      {},
      { answer: { ok: { value: { deep: [1] } } } },
      { name: 'kv_get', request: { key: 'k' }, bytes: null },
      { value: { value: { deep: [1] } }, bytes: '' },
    ],
    [
      'setValue',
      {},
      { answer: { ok: null } },
      { name: 'kv_set', request: { key: 'k', value: [1, 'x'] }, bytes: null },
      { value: null, bytes: '' },
    ],
    [
      'fetch',
      {},
      { answer: { ok: { status: 200, url: 'https://example.com/', headers: {} } }, bytes: bytesOf('<p>ü</p>') },
      {
        name: 'http_request',
        request: { url: 'https://example.com/', method: 'POST', headers: { 'x-a': 'b' } },
        bytes: bytesOf('body'),
      },
      { value: { status: 200, url: 'https://example.com/', headers: {} }, bytes: '<p>ü</p>' },
    ],
  ])('are asked by %s', async (command, args, answer, expected, data) => {
    const asked: GuestCall[] = [];
    const result = await dataOf(command, args, (call) => {
      asked.push(call);
      return answer;
    });
    expect(asked).toEqual([expected]);
    expect(result).toEqual(data);
  });

  it('that are refused become the failure of the call', async () => {
    expect(await run(guestInput('getConfig', {}))).toMatchObject({
      status: 'error',
      error: { code: 'FORBIDDEN', message: 'no config_get here' },
    });
  });
});
