import { describe, expect, it } from 'vitest';
import { findModel } from '../../../src/chat/passthrough/find-model.ts';
import { mergePatch } from '../../../src/chat/passthrough/merge-patch.ts';
import { replaceImages } from '../../../src/chat/passthrough/replace-images.ts';
import { withoutKey } from '../../../src/chat/passthrough/without-key.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';

const encoder = new TextEncoder();

describe('the model of a body', () => {
  it.each([
    ['{"model":"a"}', 'a'],
    ['\ufeff {"model":"a"}', 'a'],
    ['{"m\\u006fdel":"\\u00e9"}', 'é'],
    ['{"x":{"model":"b"},"y":["model",{"model":"c"}],"model":"a"}', 'a'],
    ['{"x":"\\"}{","model":"a","z":-1.5e9,"t":true}', 'a'],
  ])('is found in %s', (text, model) => {
    expect(findModel(encoder.encode(text))).toMatchObject({ ok: true, model });
  });

  it.each([
    ['{"model":"a","model":"a"}', 'names a model more than once'],
    ['{"model":"a","MODEL":"b"}', 'names a model more than once'],
    ['{"model":""}', 'must name its model in a text'],
    ['{"model":7}', 'must name its model in a text'],
    [`{"model":"${'a'.repeat(2_000)}"}`, 'must name its model in a text'],
    ['{}', 'names no model'],
    ['{"model":"a",}', 'is not JSON'],
    ['{"model":"a"} x', 'is not JSON'],
    ['{"model" "a"}', 'is not JSON'],
    ['{"model":}', 'is not JSON'],
    ['"model"', 'must be a JSON object'],
    ['', 'must be a JSON object'],
  ])('is not taken from %s', (text, reason) => {
    expect(findModel(encoder.encode(text))).toEqual({ ok: false, reason });
  });

  it('is not taken from bytes that are no UTF-8', () => {
    const body = encoder.encode('{"model":"a?"}');
    body[body.indexOf(0x3f)] = 0xff;
    expect(findModel(body)).toEqual({ ok: false, reason: 'must name its model in a text' });
  });
});

it('merges as RFC 7396 says', () => {
  const target = { a: 'b', c: { d: 'e', f: 'g' }, l: [1, 2] };
  expect(mergePatch(target, { a: 'z', c: { f: null, n: { m: null, o: 1 } }, l: [3], x: { y: 1 } })).toEqual({
    a: 'z',
    c: { d: 'e', n: { o: 1 } },
    l: [3],
    x: { y: 1 },
  });
  expect(mergePatch({ c: 'text' }, { c: { d: 1 } })).toEqual({ c: { d: 1 } });
});

it('takes every one of a key out of an error, also where it begins within itself', () => {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  expect(text(withoutKey(encoder.encode('x sssssk-key1 sk-key12 sk-key1'), 'sk-key12'))).toBe(
    'x sssssk-key1 ******** sk-key1',
  );
  expect(text(withoutKey(encoder.encode('aaaaaaaaa'), 'aaaaaaaa'))).toBe('********a');
  // Such keys are words: `none` of a local server.
  expect(text(withoutKey(encoder.encode('none of it'), 'none'))).toBe('none of it');
});

it('reads images of any size in a text in time that follows its length', async () => {
  const uri = `data:image/png;base64,${'A'.repeat(400_000)}`;
  const text = JSON.stringify({ content: `${'data:image/'.repeat(20_000)}${uri} ${uri}` });
  const begun = performance.now();
  const replaced = await replaceImages(text, async (bytes) => `kept:${bytes.length}`, DEFAULT_LIMITS);
  expect((JSON.parse(replaced) as { content: string }).content).toMatch(
    /^(?:data:image\/){20000}kept:300000 kept:300000$/,
  );
  expect(performance.now() - begun).toBeLessThan(10_000);
});
