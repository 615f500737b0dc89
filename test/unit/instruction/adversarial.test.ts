// What somebody might make a model write: the time must grow with the length of the text alone. Every text here would take
// minutes in a parser that looks at any part of it again and again, so the bound can be generous.
import { describe, expect, it } from 'vitest';
import { createInstructionParser } from '../../../src/instruction/create-instruction-parser.ts';
import type { ParserEvent } from '../../../src/instruction/parser-event.ts';

const OPEN = '<<<[TOOL_REQUEST]>>>';
const CLOSE = '<<<[END_TOOL_REQUEST]>>>';
const UNITS = 1_000_000;

const PIECES: [name: string, piece: string, before?: string][] = [
  ['opening markers', OPEN],
  ['opening markers in a value', OPEN, `${OPEN}a:「始」`],
  ['almost markers', '<<<[TOOL_REQUES]>>>'],
  ['angle brackets', '<'],
  ['backticks', '`'],
  ['runs of backticks', '` `` ``` '],
  ['fences', '```\n~~~\n'],
  ['half fences', '```\n', '~~~~\n'],
  ['blanks', ' '],
  ['indented quotes', '   >\n'],
  ['deep thoughts', '<think>'],
  ['thoughts in thoughts', '<think><thinking></think>'],
  ['examples', '<<<[TOOL_REQUEST_EXP]>>>'],
  ['values that are never closed', 'a:「始」', OPEN],
  ['escaped values that are never closed', '「末ESCAPE', `${OPEN}a:「始ESCAPE」`],
  ['closing quotes', '「末」', OPEN],
  ['colons', ':', OPEN],
  ['keys', 'a: 「', OPEN],
  ['one long key', 'a', OPEN],
  ['remarks', ' //\n', OPEN],
  ['slashes', '/', OPEN],
  ['blanks before a value', ' 「始」', OPEN],
  ['blocks', `${OPEN}tool_name:「始」T「末」${CLOSE}`],
  ['literals that are not closed', '「始_ESCAPE', `${OPEN}a:「始」`],
];

const parse = (text: string, size: number): number => {
  const parser = createInstructionParser({ limits: { instructionBlockBytes: 100_000_000 } });
  const count = (events: ParserEvent[]): number =>
    events.reduce((sum, event) => sum + (event.type === 'text' ? event.text.length : 0), 0);
  let shown = 0;
  for (let at = 0; at < text.length; at += size) shown += count(parser.push(text.slice(at, at + size)));
  return shown + count(parser.end());
};

describe('a million characters', () => {
  it.each(PIECES)(
    'of %s are read in linear time, whole and in pieces',
    { timeout: 30_000 },
    (_, piece, before = '') => {
      const text = before + piece.repeat(Math.ceil(UNITS / piece.length));
      const started = performance.now();
      const shown = parse(text, text.length);
      expect(parse(text, 4_096)).toBe(shown);
      expect(parse(text, 5)).toBe(shown);
      expect(performance.now() - started).toBeLessThan(15_000);
    },
  );
});

describe('a block that never ends', () => {
  it('is not kept beyond what a block may have', () => {
    const parser = createInstructionParser({ limits: { instructionBlockBytes: 10_000 } });
    const chunk = 'a'.repeat(1_000);
    const shown = [OPEN, ...Array<string>(1_000).fill(chunk)].map((part) =>
      parser.push(part).reduce((sum, event) => sum + (event.type === 'text' ? event.text.length : 0), 0),
    );
    // Held back until it was too large, then shown as it comes.
    expect([shown.slice(0, 10), shown[10], shown.slice(11)]).toEqual([
      Array(10).fill(0),
      OPEN.length + 10_000,
      Array(990).fill(1_000),
    ]);
    expect(parser.end().map((event) => (event.type === 'block' ? event.block : event.text))).toEqual([
      { raw: '', content: { ok: false, diagnostics: [expect.objectContaining({ code: 'BLOCK_TOO_LARGE' })] } },
    ]);
  });
});

describe('what is held back', () => {
  it.each([
    ['a word', 'word', ''],
    ['a backtick', 'a `', ''],
    ['the beginning of a thought', 'a <thin', ''],
    ['a quote mark', '\n>', ''],
    ['half a marker', 'a <<<[TOOL_REQ', '<<<[TOOL_REQ'],
    ['angle brackets, all but the last three of them', 'a <<<<<', '<<<'],
    ['half a marker in inline code', '`<<<[TOOL_REQ', ''],
    ['half a marker in a quote', '> <<<[TOOL_REQ', ''],
    ['half a marker in a thought', '<think><<<[TOOL_REQ', ''],
    ['half a marker that became none', '<<<[TOOL_RED', ''],
    ['half an example', '<<<[TOOL_REQUEST_E', ''],
  ])('of %s is %j: %j', (_, text, held) => {
    const parser = createInstructionParser({ limits: { instructionBlockBytes: 10_000 } });
    const shown = parser.push(text).map((event) => (event.type === 'text' ? event.text : ''));
    expect(shown.join('')).toBe(text.slice(0, text.length - held.length));
    expect(parser.end()).toEqual(held === '' ? [] : [{ type: 'text', text: held }]);
  });
});

describe('a parser whose text has ended', () => {
  it.each([
    ['in a block', `a ${OPEN}b:「始」c`],
    ['in a thought', '<think>'],
    ['in a fence', '```\n'],
    ['in half a marker', '<<<[TOOL_'],
  ])('%s takes a new one', (_, first) => {
    const parser = createInstructionParser({ limits: { instructionBlockBytes: 10_000 } });
    parser.push(first);
    parser.end();
    expect([...parser.push(`x ${OPEN}a:「始」1「末」${CLOSE}`), ...parser.end()]).toEqual([
      { type: 'text', text: 'x ' },
      {
        type: 'block',
        block: {
          raw: `${OPEN}a:「始」1「末」${CLOSE}`,
          content: { ok: true, fields: [{ key: 'a', value: '1' }], warnings: [] },
        },
      },
    ]);
    expect([parser.push(''), parser.end()]).toEqual([[], []]);
  });
});
