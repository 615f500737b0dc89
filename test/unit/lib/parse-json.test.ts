import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/lib/parse-json.ts';

const BOUNDS = { jsonDepth: 8, jsonNodes: 100 };
const parse = (text: string) => parseJson(text, BOUNDS);

describe('parseJson', () => {
  it.each(['null', '0', '"text"', ' [1, {"a": "b"}] ', '{"a":{"b":[]}}', '"\\ud83d\\ude00"'])('reads %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each(['', 'nul', '{"a":1,}', "{'a':1}", '[1', '"open', 'NaN', '{"a":1}{"b":2}', 'text {"a":1}'])(
    'refuses %j as no JSON',
    (text) => {
      const parsed = parse(text);
      expect(parsed.ok ? '' : parsed.issue.message).toMatch(/^is not JSON: /);
    },
  );

  it('takes a byte-order mark for what it is: no JSON', () => {
    const parsed = parse('\uFEFF{}');
    expect(parsed.ok ? '' : parsed.issue.message).toMatch(/^is not JSON: /);
  });

  it('reads as deep as the limit, and not one level deeper', () => {
    expect(parse('['.repeat(8) + ']'.repeat(8)).ok).toBe(true);
    expect(parse('['.repeat(9) + ']'.repeat(9))).toEqual({
      ok: false,
      issue: { pointer: '', message: 'is nested deeper than 8 levels' },
    });
    expect(parse('{"a":'.repeat(9) + '1' + '}'.repeat(9)).ok).toBe(false);
  });

  it('refuses a depth bomb before anything parses it', () => {
    const started = performance.now();
    expect(parse('['.repeat(5_000_000))).toEqual({
      ok: false,
      issue: { pointer: '', message: 'is nested deeper than 8 levels' },
    });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('counts siblings as one level', () => {
    expect(parse(`[${'[1],'.repeat(20)}[1]]`).ok).toBe(true);
  });

  it('does not count brackets inside strings', () => {
    const strings = [`[`.repeat(50), `{"`.repeat(20), `\\`, `\\"[[[[[[[[[[`, `"`, `]}]}`];
    for (const text of strings)
      expect(parse(JSON.stringify([text, { [text]: text }]))).toEqual({ ok: true, value: [text, { [text]: text }] });
  });

  it('finds depth behind strings that end in escaped backslashes', () => {
    const bomb = '['.repeat(9) + ']'.repeat(9);
    for (const text of ['\\', '\\\\', 'a\\"', '\\"\\']) {
      expect(parse(`{${JSON.stringify(text)}:${bomb}}`)).toEqual({
        ok: false,
        issue: { pointer: '', message: 'is nested deeper than 8 levels' },
      });
    }
  });

  it('is linear on a string of many escaped quotes', () => {
    const text = JSON.stringify('"'.repeat(500_000));
    const started = performance.now();
    expect(parse(text).ok).toBe(true);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('refuses __proto__ with its place, also when it is written with escapes', () => {
    expect(parse('{"a":{"__proto__":{"b":1}}}')).toEqual({
      ok: false,
      issue: { pointer: '/a/__proto__', message: 'is a key that is never accepted' },
    });
    expect(parse('{"\\u005f_proto__":1}').ok).toBe(false);
    expect(({} as Record<string, unknown>)['b']).toBeUndefined();
  });

  it('accepts constructor and toString as plain keys', () => {
    expect(parse('{"constructor":1,"toString":2,"hasOwnProperty":3}').ok).toBe(true);
  });

  it('refuses lone surrogates that escapes smuggle in', () => {
    expect(parse('["\\ud83d"]')).toEqual({
      ok: false,
      issue: { pointer: '/0', message: 'holds a lone surrogate, which is not valid Unicode text' },
    });
    expect(parse('{"\\udc00":1}').ok).toBe(false);
  });

  it('bounds the number of values', () => {
    expect(parse(JSON.stringify(Array.from({ length: 99 }, () => 0))).ok).toBe(true);
    expect(parse(JSON.stringify(Array.from({ length: 100 }, () => 0))).ok).toBe(false);
  });

  it.each([
    ['[' + '[],'.repeat(98) + '[]]', true],
    ['[' + '[],'.repeat(99) + '[]]', false],
    ['[' + '{ },\n'.repeat(98) + '[ \t]]', true],
    [JSON.stringify({ a: Array.from({ length: 98 }, () => 0) }), true],
    [JSON.stringify({ a: Array.from({ length: 99 }, () => 0) }), false],
    [JSON.stringify(Array.from({ length: 33 }, () => ({ a: 1, b: '{[,:' }))), true],
    [JSON.stringify(Array.from({ length: 33 }, () => ({ a: 1, b: [] })).concat([{ a: 1, b: [] }])), false],
  ])('counts each value once (%#)', (text, fits) => {
    expect(parse(text)).toEqual(
      fits
        ? { ok: true, value: JSON.parse(text) as unknown }
        : { ok: false, issue: { pointer: '', message: 'has more than 100 values' } },
    );
  });

  it('refuses too many values before anything parses them', () => {
    // Not JSON at its end: a text that was parsed would be refused for that.
    expect(parse(`[${'[],'.repeat(5_000_000)}`)).toEqual({
      ok: false,
      issue: { pointer: '', message: 'has more than 100 values' },
    });
  });

  it('takes what is no JSON for that, whatever its white space and brackets', () => {
    for (const text of ['[', '[ ', '[ }', '{ ', '{]', '[] ]', ' ', ',,,', '["'])
      expect(parse(text)).toMatchObject({
        ok: false,
        issue: { message: expect.stringMatching(/^is not JSON: /) as string },
      });
  });

  it('refuses numbers that overflow to infinity', () => {
    expect(parse('[1e999]')).toEqual({
      ok: false,
      issue: { pointer: '/0', message: 'is Infinity, which JSON cannot carry' },
    });
  });
});
