import { afterEach, describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../../src/lib/base64.ts';

const NATIVE = Object.getOwnPropertyDescriptor(Uint8Array, 'fromBase64');
const hideNative = () =>
  Object.defineProperty(Uint8Array, 'fromBase64', { value: undefined, configurable: true, writable: true });

const restoreNative = () => {
  if (NATIVE === undefined) delete (Uint8Array as { fromBase64?: unknown }).fromBase64;
  else Object.defineProperty(Uint8Array, 'fromBase64', NATIVE);
};

// Node 24 has no Uint8Array.fromBase64; both ways must give one verdict.
describe.each([
  ['the runtime’s own decoder', () => undefined],
  ['the fallback', hideNative],
])('Base64 by %s', (_, prepare) => {
  afterEach(restoreNative);

  it.each<[string, number[]]>([
    ['', []],
    ['AA==', [0]],
    ['//79', [0xff, 0xfe, 0xfd]],
    ['aGVsbG8=', [0x68, 0x65, 0x6c, 0x6c, 0x6f]],
    ['+/+/', [0xfb, 0xff, 0xbf]],
  ])('reads "%s"', (text, bytes) => {
    prepare();
    expect(decodeBase64(text)).toEqual({ ok: true, bytes: Uint8Array.from(bytes) });
  });

  it.each([
    ['AAA', 'its length 3 is not a multiple of 4'],
    ['A', 'its length 1 is not a multiple of 4'],
    ['AA=', 'its length 3 is not a multiple of 4'],
    ['AA-_', 'character 2 is not of the Base64 alphabet (this is the URL-safe alphabet; use the standard one)'],
    ['AA A', 'character 2 is not of the Base64 alphabet'],
    ['AAAA\nAAA', 'character 4 is not of the Base64 alphabet'],
    ['AAAA\r\nAA', 'character 4 is not of the Base64 alphabet'],
    [' AAAA   ', 'character 0 is not of the Base64 alphabet'],
    ['AA== \t\n ', 'character 4 is not of the Base64 alphabet'],
    ['A A=', 'character 1 is not of the Base64 alphabet'],
    ['AA\u00e9A', 'character 2 is not of the Base64 alphabet'],
    ['A===', 'its padding is wrong'],
    ['====', 'its padding is wrong'],
    ['AA==AAAA', 'its padding is wrong'],
    ['A=AA', 'its padding is wrong'],
    ['AB==', 'its padding is wrong'],
    ['AAB=', 'its padding is wrong'],
  ])('refuses %j with a reason', (text, reason) => {
    prepare();
    expect(decodeBase64(text)).toEqual({ ok: false, reason });
  });

  it('reads every byte', () => {
    prepare();
    const bytes = Array.from({ length: 256 }, (__, index) => index);
    const decoded = decodeBase64(btoa(String.fromCharCode(...bytes)));
    expect(decoded.ok ? [...decoded.bytes] : []).toEqual(bytes);
  });
});
