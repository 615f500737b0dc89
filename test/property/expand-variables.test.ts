import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate as parseWithin } from '../../src/chat/variables/parse-template.ts';
import { expand, plainValues } from '../support/chat.ts';

const parseTemplate = (given: string) => parseWithin(given, { left: Infinity });
const pieces = fc.constantFrom(
  '{',
  '}',
  '{{',
  '}}',
  '!',
  'Date',
  '[[',
  ']]',
  'VCPToolUse=Forbidden',
  ' ',
  '\n',
  ':',
  '雪',
  'x',
);
const text = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 })
  .map((list) => list.join(''));

describe('expanding', () => {
  it('leaves a text without tokens as it is', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        fc.pre(parseTemplate(given).every(({ kind, written }) => kind === 'text' && !written.startsWith('{{!')));
        expect((await expand(given, [plainValues({ Date: 'd' })])).text).toBe(given);
      }),
    );
  });

  it('loses no character of a text while it is cut into pieces', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(
          parseTemplate(given)
            .map(({ written }) => written)
            .join(''),
        ).toBe(given);
      }),
    );
  });

  it('shows what is inserted as it is, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (value, around) => {
        fc.pre(parseTemplate(around).every((segment) => segment.kind === 'text' && segment.text === segment.written));
        const { text: expanded } = await expand(`${around} {{Value}} ${around}`, [plainValues({ Value: value })]);
        expect(expanded).toBe(`${around} ${value} ${around}`);
      }),
    );
  });
});

// Work that grew with the square of the length would take minutes here, and not the seconds that a test has.
describe('a megabyte', () => {
  it.each([
    ['opening braces', '{{'],
    ['unfinished names', '{{aaaa'],
    ['names that are too long', `{{${'a'.repeat(300)}`],
    ['escapes', '{{!!!!!!!!!'],
    ['opening brackets', '[[VCPToolUse='],
    ['closing braces', '}}'],
  ])('of %s is text, found out in linear time', async (_, piece) => {
    const given = piece.repeat((1024 * 1024) / piece.length);
    expect((await expand(given, [plainValues({})])).text).toBe(given);
  });

  it('of tokens is filled in as far as a request may have them', async () => {
    const { text: expanded } = await expand('{{a{{b}}'.repeat(131_072), [plainValues({ b: '1' })]);
    expect(expanded).toBe('{{a1'.repeat(100_000) + '{{a{{b}}'.repeat(31_072));
  });
});
