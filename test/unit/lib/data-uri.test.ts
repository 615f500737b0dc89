import { describe, expect, it } from 'vitest';
import { parseDataUri } from '../../../src/lib/data-uri.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('data URIs', () => {
  it.each<[string, string | null, Uint8Array]>([
    ['data:,', null, bytesOf('')],
    ['data:,hello', null, bytesOf('hello')],
    ['data:text/plain,a%20b', 'text/plain', bytesOf('a b')],
    ['data:text/plain;charset=utf-8,%E7%8C%AB', 'text/plain', bytesOf('猫')],
    ['data:IMAGE/PNG;base64,AAEC', 'image/png', Uint8Array.of(0, 1, 2)],
    ['DATA:image/svg+xml;charset=utf-8;BASE64,AAEC', 'image/svg+xml', Uint8Array.of(0, 1, 2)],
    ['data:;base64,AA==', null, Uint8Array.of(0)],
    ['data:application/octet-stream,%FF%00', 'application/octet-stream', Uint8Array.of(0xff, 0)],
    ['data:text/plain,a,b,c', 'text/plain', bytesOf('a,b,c')],
    ['data:text/plain,猫', 'text/plain', bytesOf('猫')],
    ['data:not a type,x', null, bytesOf('x')],
  ])('hold what %s says', (uri, mimeType, bytes) => {
    expect(parseDataUri(uri)).toEqual({ ok: true, mimeType, bytes });
  });

  it.each([
    ['', 'it is not of the form data:[type][;base64],…'],
    ['data:image/png;base64', 'it is not of the form data:[type][;base64],…'],
    ['http://example.com/,x', 'it is not of the form data:[type][;base64],…'],
    [',data:', 'it is not of the form data:[type][;base64],…'],
    ['data:image/png;base64,AAA', 'its length 3 is not a multiple of 4'],
    ['data:image/png;base64,AA AA===', 'character 2 is not of the Base64 alphabet'],
    ['data:,%', 'its percent-encoding is broken'],
    ['data:,%2', 'its percent-encoding is broken'],
    ['data:,%ZZ', 'its percent-encoding is broken'],
    ['data:,100%', 'its percent-encoding is broken'],
  ])('are refused when they are %j', (uri, reason) => {
    expect(parseDataUri(uri)).toEqual({ ok: false, reason });
  });
});
