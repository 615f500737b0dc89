// What TextTool computes, against libraries and Node's own functions.
import { applyPatch, diffArrays } from 'diff';
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { guestInput, guestOf } from '../../support/run-guest.ts';

const run = guestOf(new URL('../../../plugins-wasm/TextTool/plugin.wasm', import.meta.url));

type Payload<Data> = { status: string; data: Data; error?: { code: string }; warnings?: { code: string }[] };
const call = async <Data>(command: string, args: object) =>
  (await run(guestInput(command, { command, ...args }))) as Payload<Data>;
const textOf = async (command: string, args: object) => (await call<{ text: string }>(command, args)).data.text;

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ maxLength: 300 }),
);

it('hashes as Node does', () =>
  fc.assert(
    fc.asyncProperty(anyText, fc.constantFrom('sha256', 'sha1', 'md5', 'crc32'), async (text, algorithm) => {
      const { data } = await call<{ hash: string; bytes: number }>('Hash', { text, algorithm });
      const bytes = Buffer.from(text);
      const hash =
        algorithm === 'crc32'
          ? crc32(bytes).toString(16).padStart(8, '0')
          : createHash(algorithm).update(bytes).digest('hex');
      expect(data).toEqual({ algorithm, hash, bytes: bytes.length });
    }),
    { numRuns: 300 },
  ));

it.each([54, 55, 56, 57, 63, 64, 65, 119, 120, 1_000_000])(
  'hashes %i bytes, at the edges of blocks',
  async (length) => {
    const { data } = await call<{ hash: string }>('Hash', { text: 'a'.repeat(length), algorithm: 'sha256' });
    expect(data.hash).toBe(createHash('sha256').update('a'.repeat(length)).digest('hex'));
  },
);

const ENCODERS: Record<string, (text: string) => string> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  percent: (text) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
  html: (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
};

it('encodes as Node does, and decodes what it encoded', () =>
  fc.assert(
    fc.asyncProperty(anyText, fc.constantFrom(...Object.keys(ENCODERS)), async (text, format) => {
      const encoded = await textOf('Encode', { text, format });
      expect(encoded).toBe(ENCODERS[format]!(text.toWellFormed()));
      expect(await textOf('Decode', { text: encoded, format })).toBe(text.toWellFormed());
    }),
    { numRuns: 300 },
  ));

it.each([
  ['base64', 'YQ', 'a'],
  ['base64', 'Y Q = =\n', 'a'],
  ['base64', '_-8', null],
  ['base64', 'YR==', null],
  ['base64', 'YQ=', null],
  ['base64', 'Y', null],
  ['hex', 'C3 A4', 'ä'],
  ['hex', 'c3a', null],
  ['hex', 'zz', null],
  ['percent', 'a%20b+c', 'a b+c'],
  ['percent', '100%', null],
  ['html', '&euro;&#x1F600;&#0;&nope;&lt', '€😀\ufffd&nope;&lt'],
])('decodes %s %j', async (format, text, expected) => {
  const payload = await call<{ text: string } | null>('Decode', { text, format });
  expect(payload.data === null ? null : payload.data.text).toBe(expected);
});

it('says that bytes are no text, rather than to make some of them', async () => {
  for (const text of ['ff', 'c080', 'eda080', 'f4908080', 'e282', '80']) {
    const payload = await call('Decode', { text, format: 'hex' });
    expect(payload.error?.code).toBe('TEXT.NOT_UTF8');
  }
});

const lineText = fc.array(fc.constantFrom('a', 'b', 'c', '', 'ä 🙂'), { maxLength: 40 });

it('writes diffs that turn one text into the other, with as few lines as can be', () =>
  fc.assert(
    fc.asyncProperty(
      lineText,
      lineText,
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 0, max: 5 }),
      async (left, right, leftEnded, rightEnded, context) => {
        const before = left.join('\n') + (leftEnded && left.length > 0 ? '\n' : '');
        const after = right.join('\n') + (rightEnded && right.length > 0 ? '\n' : '');
        const { data } = await call<{ identical: boolean; added: number; removed: number; diff: string }>('Diff', {
          before,
          after,
          context,
        });
        expect(data.identical).toBe(before === after);
        if (before !== after) expect(applyPatch(before, data.diff)).toBe(after);
        const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const changes = diffArrays(linesOf(before), linesOf(after));
        const counted = (kind: 'added' | 'removed') =>
          changes.filter((change) => change[kind]).reduce((sum, { count }) => sum + count, 0);
        expect([data.added, data.removed]).toEqual([counted('added'), counted('removed')]);
      },
    ),
    { numRuns: 300 },
  ));

it('takes texts that share nothing as replaced, and says so', async () => {
  const before = Array.from({ length: 3_000 }, (_, index) => `a${index}\n`).join('');
  const payload = await call<{ added: number; removed: number; diff: string }>('Diff', {
    before: `same\n${before}`,
    after: `same\n${before.replaceAll('a', 'b')}`,
    context: 3,
  });
  expect([payload.data.added, payload.data.removed]).toEqual([3_000, 3_000]);
  expect(payload.warnings?.map(({ code }) => code)).toEqual(['DIFF_COARSE']);
  expect(applyPatch(`same\n${before}`, payload.data.diff)).toBe(`same\n${before.replaceAll('a', 'b')}`);
});

it.each([
  ['upper', 'straße äö ﬁ', 'STRASSE ÄÖ FI'],
  ['lower', 'ÀÉ ΟΔΟΣ', 'àé οδος'],
  ['title', "the dog's äpfel — 中文 ok", "The Dog's Äpfel — 中文 Ok"],
  ['sentence', 'HELLO WORLD. HOW ARE YOU?', 'Hello world. How are you?'],
  ['swap', 'aBc Ä', 'AbC ä'],
  ['camel', 'parse HTTP-response_2', 'parseHttpResponse2'],
  ['pascal', 'parseHTTPResponse', 'ParseHttpResponse'],
  ['snake', 'parseHTTPResponse2Go', 'parse_http_response2_go'],
  ['kebab', 'Über den Wolken!', 'über-den-wolken'],
  ['constant', "don't panic", 'DONT_PANIC'],
])('writes in %s case: %s', async (to, text, expected) => {
  expect(await textOf('Case', { text, to })).toBe(expected);
});

it('sorts as JavaScript sorts code points, and keeps the first of equal lines', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 30 }), async (raw) => {
      const lines = raw.map((line) => line.replaceAll(/[\r\n]/g, ''));
      const text = lines.map((line) => `${line}\n`).join('');
      const points = (line: string) => [...line].map((each) => each.codePointAt(0)!);
      const compare = (left: string, right: string) => {
        const [a, b] = [points(left), points(right)];
        const at = a.findIndex((point, index) => point !== b[index]);
        return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
      };
      const sorted = [...new Set(lines)].toSorted(compare);
      expect(await textOf('Lines', { text, sort: 'text', unique: true })).toBe(
        sorted.map((line) => `${line}\n`).join(''),
      );
    }),
    { numRuns: 200 },
  ));

it('sorts numbers inside of text by their value', async () => {
  const text = 'file 10\nfile 9\nfile 010\nfile 99999999999999999999999\nfile 1';
  expect(await textOf('Lines', { text, sort: 'natural' })).toBe(
    'file 1\nfile 9\nfile 010\nfile 10\nfile 99999999999999999999999\n',
  );
});

it('counts characters as people do, words of any script, and the most frequent', async () => {
  const { data } = await call('Count', { text: "It's well-known: 你好, 🙂!\n\nIt's it.", top: 2 });
  expect(data).toEqual({
    characters: 33,
    charactersWithoutSpaces: 27,
    utf16Units: 34,
    bytes: 40,
    words: 6,
    sentences: 2,
    lines: 3,
    paragraphs: 2,
    topWords: [
      { word: "it's", count: 2 },
      { word: 'well-known', count: 1 },
    ],
  });
});
