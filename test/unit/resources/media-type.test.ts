import { describe, expect, it } from 'vitest';
import { decideMediaType, kindOfMediaType, type DeclaredTypes } from '../../../src/resources/media-type.ts';
import { MAGIC } from '../../support/sample-values.ts';

const TYPES = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  zip: 'application/zip',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
} as const;

const bytes = (format: keyof typeof MAGIC) => Uint8Array.from(MAGIC[format]);
const textBytes = (text: string) => new TextEncoder().encode(text);
const PLAIN = textBytes('just text');
const HTML = textBytes('<!doctype html><html><script>alert(1)</script></html>');
const SVG = textBytes('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"></svg>');
// The head of a Matroska file whose document type is "webm".
const WEBM = Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6d);

describe('the media type', () => {
  it.each(Object.entries(TYPES) as [keyof typeof MAGIC, string][])(
    'of %s is known by its first bytes',
    async (format, type) => {
      expect(await decideMediaType(bytes(format), {})).toEqual({ mimeType: type, contradicted: null });
    },
  );

  it('follows the order of §7.5 when the bytes say nothing', async () => {
    const all = { dataUri: 'a/data-uri', http: 'a/http', fileName: 'x.csv', plugin: 'a/plugin' };
    const order = [];
    for (const without of [
      [],
      ['dataUri'],
      ['dataUri', 'http'],
      ['dataUri', 'http', 'fileName'],
      ['dataUri', 'http', 'fileName', 'plugin'],
    ]) {
      const declared = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
      order.push((await decideMediaType(PLAIN, declared)).mimeType);
    }
    expect(order).toEqual(['a/data-uri', 'a/http', 'text/csv', 'a/plugin', 'text/plain']);
  });

  it('is never one that the bytes contradict', async () => {
    const claims = { dataUri: 'image/gif', http: 'image/gif', fileName: 'a.gif', plugin: 'image/gif' };
    for (const [name, value] of Object.entries(claims)) {
      expect(await decideMediaType(bytes('png'), { [name]: value })).toEqual({
        mimeType: 'image/png',
        contradicted: 'image/gif',
      });
    }
  });

  it.each<[keyof typeof MAGIC, string]>([
    ['png', 'image/PNG'],
    ['jpeg', 'image/jpg'],
    ['mp3', 'audio/mp3'],
    ['mp4', 'video/x-m4v'],
    ['zip', 'application/x-zip-compressed'],
    ['png', 'image/png; charset=binary'],
    ['png', 'application/octet-stream'],
  ])('of %s agrees with the claim %s', async (format, plugin) => {
    expect((await decideMediaType(bytes(format), { plugin })).contradicted).toBeNull();
  });

  it('of a container is what was declared to be inside', async () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(await decideMediaType(bytes('zip'), { plugin: docx })).toEqual({ mimeType: docx, contradicted: null });
    expect(await decideMediaType(bytes('zip'), { fileName: 'book.epub' })).toEqual({
      mimeType: 'application/epub+zip',
      contradicted: null,
    });
    expect(await decideMediaType(bytes('zip'), { plugin: 'image/png' })).toEqual({
      mimeType: 'application/zip',
      contradicted: 'image/png',
    });
  });

  it.each<[string, Uint8Array, DeclaredTypes, string, string | null]>([
    ['an archive by another name', bytes('zip'), { plugin: 'application/gzip' }, 'application/zip', 'application/gzip'],
    ['HTML that claims to be a picture', HTML, { plugin: 'image/png' }, 'text/html', 'image/png'],
    ['HTML that its name makes a picture', HTML, { fileName: 'a.png' }, 'text/html', 'image/png'],
    [
      'text that claims to be a PDF',
      PLAIN,
      { fileName: 'a.txt', plugin: 'application/pdf' },
      'text/plain',
      'application/pdf',
    ],
    ['a TypeScript file', PLAIN, { fileName: 'a.ts', plugin: 'text/typescript' }, 'text/typescript', null],
    ['a TypeScript module', PLAIN, { fileName: 'a.mts' }, 'text/plain', null],
    ['sound in a WebM', WEBM, { plugin: 'audio/webm' }, 'audio/webm', null],
    ['a film in a WebM', WEBM, { plugin: 'video/webm' }, 'video/webm', null],
    ['a drawing', SVG, { plugin: 'image/svg+xml' }, 'image/svg+xml', null],
    ['a drawing by its name', SVG, { fileName: 'a.svg' }, 'image/svg+xml', null],
    ['a drawing without the XML line', SVG.subarray(22), { plugin: 'image/svg+xml' }, 'image/svg+xml', null],
  ])('of %s', async (_, content, declared, mimeType, contradicted) => {
    expect(await decideMediaType(content, declared)).toEqual({ mimeType, contradicted });
  });

  it('is unknown when nothing is known', async () => {
    expect(await decideMediaType(new Uint8Array(), {})).toEqual({
      mimeType: 'application/octet-stream',
      contradicted: null,
    });
  });

  it.each<[string, Uint8Array, DeclaredTypes, string]>([
    ['a table by its name', textBytes('größe;preis\n1;2\n'), { fileName: 'umlaut.csv' }, 'text/csv'],
    ['a text of no name', textBytes('größe'), {}, 'text/plain'],
    ['a text of an unknown name', textBytes('größe'), { fileName: 'a.whatever' }, 'text/plain'],
    ['a terminal with colours', textBytes('\u001b[31mred\u001b[0m\r\n'), {}, 'text/plain'],
    ['an empty table', new Uint8Array(), { fileName: 'none.csv' }, 'text/csv'],
  ])('of text that was called nothing but bytes, or nothing at all: %s', async (_, content, declared, mimeType) => {
    for (const unsaid of [{}, { http: 'application/octet-stream' }, { dataUri: 'application/octet-stream' }])
      expect(await decideMediaType(content, { ...declared, ...unsaid })).toEqual({ mimeType, contradicted: null });
  });

  it.each([
    ['table.csv', 'text/csv'],
    ['notes.md', 'text/markdown'],
    ['data.json', 'application/json'],
    ['read.txt', 'text/plain'],
  ])('of the text %s is %s', async (fileName, mimeType) => {
    expect((await decideMediaType(PLAIN, { http: 'application/octet-stream', fileName })).mimeType).toBe(mimeType);
  });

  it.each([
    ['a zero byte', Uint8Array.of(0x61, 0, 0x62)],
    ['a control character', Uint8Array.of(0x61, 0x07)],
    ['bytes that are no UTF-8', Uint8Array.of(0x67, 0x72, 0xf6, 0xdf, 0x65)],
    ['a surrogate', Uint8Array.of(0xed, 0xa0, 0x80)],
  ])('of %s is no text because somebody calls it bytes and names it so', async (_, content) => {
    const declared = { http: 'application/octet-stream', fileName: 'a.txt' };
    expect((await decideMediaType(content, declared)).mimeType).toBe('application/octet-stream');
    expect((await decideMediaType(content, {})).mimeType).toBe('application/octet-stream');
  });

  it('of text is told by a head that ends within a character', async () => {
    const head = textBytes('ab😀').subarray(0, 4);
    expect((await decideMediaType(head, {})).mimeType).toBe('text/plain');
  });

  it('is not a claim that is no media type', async () => {
    expect((await decideMediaType(PLAIN, { plugin: 'picture' })).mimeType).toBe('text/plain');
  });
});

describe('the kind', () => {
  it.each([
    ['image/svg+xml', 'image'],
    ['audio/mpeg', 'audio'],
    ['video/mp4', 'video'],
    ['application/pdf', 'document'],
    ['application/vnd.ms-excel', 'document'],
    ['application/epub+zip', 'document'],
    ['application/zip', 'archive'],
    ['application/gzip', 'archive'],
    ['text/csv', 'text'],
    ['application/json', 'text'],
    ['application/ld+json', 'text'],
    ['application/octet-stream', 'binary'],
    ['application/wasm', 'binary'],
  ])('of %s is %s', (type, kind) => {
    expect(kindOfMediaType(type)).toBe(kind);
  });
});
