// Texts that are likely to trouble a parser of the text protocol, and what it makes of them.
import * as fc from 'fast-check';
import {
  createInstructionParser,
  type InstructionParserOptions,
} from '../../src/instruction/create-instruction-parser.ts';
import type { ParserEvent } from '../../src/instruction/parser-event.ts';

const PIECES = [
  '<<<[TOOL_REQUEST]>>>',
  '<<<[END_TOOL_REQUEST]>>>',
  '<<<[TOOL_REQUEST_EXP]>>>',
  '<<<[END_TOOL_REQUEST_exp]>>>',
  '<<<[TOOL_REQUEST_ESCAPE]>>>',
  '<<<[END_TOOL_REQUEST_ESCAPE]>>>',
  '<<<[TOOL_REQUEST_ESCAPE_ESCAPE]>>>',
  '＜＜＜［TOOL_REQUEST］＞＞＞',
  '「始」',
  '「末」',
  '「始ESCAPE」',
  '「末ESCAPE」',
  '「始exp」',
  '「末exp」',
  '「末_ESCAPE」',
  '「末ESCAPE_ESCAPE」',
  '<think>',
  '</think>',
  '<THINKING>',
  '</thinking>',
  'tool_name:「始」Painter「末」',
  'a：「始」1「末」, ',
  'command1:',
  '\n```\n',
  '```text\n',
  '\n~~~\n',
  '`',
  '``',
  '\n> ',
  '//',
  '// ',
  ', ',
  ':',
  '：',
  'key',
  '键',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '<',
  '<<<[',
  '「',
  '😀',
  '\uD83D',
  'é',
];

const call = (body: string) => `<<<[TOOL_REQUEST]>>>${body}<<<[END_TOOL_REQUEST]>>>`;

/** Blocks that are mostly whole, with hostile values in either pair of quotes. */
const blockOf = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom('tool_name', 'a', 'b_c', '键', 'command1'), fc.boolean(), value), { maxLength: 4 })
    .map((fields) =>
      call(
        fields
          .map(([key, isEscaped, text]) =>
            isEscaped ? `${key}:「始ESCAPE」${text}「末ESCAPE」` : `${key}:「始」${text}「末」`,
          )
          .join(',\n'),
      ),
    );

/** Pieces of the protocol, halves of them, and anything else, in any order. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...PIECES), fc.nat(24), fc.nat(24))
          .map(([piece, from, length]) => piece.slice(from % piece.length).slice(0, length + 1)),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'binary' }) },
      { weight: 1, arbitrary: blockOf(fc.string({ maxLength: 8 })) },
      { weight: 1, arbitrary: blockOf(fc.constantFrom(...PIECES)) },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

/** All events of a text that comes in these pieces; text that follows text is one event. */
export const eventsOf = (chunks: readonly string[], options: Partial<InstructionParserOptions> = {}): ParserEvent[] => {
  const parser = createInstructionParser({ limits: { instructionBlockBytes: 1_000_000 }, ...options });
  const events: ParserEvent[] = [];
  for (const event of [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()]) {
    const last = events.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      events[events.length - 1] = { type: 'text', text: last.text + event.text };
    } else {
      events.push(event);
    }
  }
  return events;
};

/** A text cut at these places, each a fraction of what is left. */
export const cutAt = (text: string, lengths: readonly number[]): string[] => {
  const chunks: string[] = [];
  let rest = text;
  for (const length of lengths) {
    chunks.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return [...chunks, rest];
};
