import { describe, expect, it } from 'vitest';
import { findBlock } from '../../../src/instruction/find-block.ts';

const CALL = '<<<[TOOL_REQUEST]>>>x<<<[END_TOOL_REQUEST]>>>';
const REAL = '<<<[TOOL_REQUEST]>>>real<<<[END_TOOL_REQUEST]>>>';
const bodyOf = (text: string): string => {
  const found = findBlock(text);
  return found.ok ? found.body : found.diagnostic.code;
};

const TEXT_AROUND_A_CALL: [string, string][] = [
  ['a fence of backticks', `\`\`\`\n${CALL}\n\`\`\`\n`],
  ['a fence of tildes', `~~~\n${CALL}\n~~~\n`],
  ['a fence with a language', `\`\`\`text\n${CALL}\n\`\`\`\n`],
  ['a fence that is indented', `  \`\`\`\n  ${CALL}\n  \`\`\`\n`],
  ['a fence in a list item', `1. Say:\n\n    \`\`\`\n    ${CALL}\n    \`\`\`\n`],
  ['a fence that a longer one closes', `\`\`\`\n${CALL}\n\`\`\`\`\`\n`],
  ['a fence that shorter ones do not close', `\`\`\`\`\n\`\`\`\n${CALL}\n\`\`\`\n${CALL}\n\`\`\`\`\n`],
  ['a fence that the other kind does not close', `~~~\n\`\`\`\n${CALL}\n\`\`\`\n~~~\n`],
  ['a fence with CRLF line ends', `\`\`\`\r\n${CALL}\r\n\`\`\`\r\n`],
  ['a fence whose end has spaces after it', `\`\`\`\n${CALL}\n\`\`\`  \n`],
  ['inline code', `Write \`${CALL}\`.\n`],
  ['inline code of two backticks', `Write \`\` \`${CALL}\` \`\`.\n`],
  ['a backtick that is not closed', `Write \`${CALL}\nand so on.\n`],
  ['a quote', `> ${CALL}\n`],
  ['a quote in a quote', ` > > ${CALL}\n`],
  ['thinking', `<think>\n${CALL}\n</think>\n`],
  ['thinking in one line', `<think>${CALL}</think>\n`],
  ['thinking by its longer name', `<thinking>\nperhaps ${CALL}\n</thinking>\n`],
  ['thinking in capitals', `<THINK>${CALL}</Think>\n`],
  ['thinking that holds half a fence', `<think>\n\`\`\`\n${CALL}\n</think>\n`],
  ['a fence that holds half a thought', `\`\`\`\n<think>\n${CALL}\n\`\`\`\n`],
];

describe('a call that is only shown', () => {
  it.each(TEXT_AROUND_A_CALL)('in %s is not run', (_, text) => {
    expect(bodyOf(text)).toBe('NO_BLOCK');
  });

  it.each(TEXT_AROUND_A_CALL)('in %s does not keep the real one after it from being run', (_, text) => {
    expect(bodyOf(`${text}\n${REAL}`)).toBe('real');
  });

  it.each(TEXT_AROUND_A_CALL)('in %s after the real one is no second call', (_, text) => {
    expect(bodyOf(`${REAL}\n${text}`)).toBe('real');
  });

  it.each([
    ['a fence that is not closed', `\`\`\`\n${CALL}\n`],
    ['a fence that only shorter ones follow', `\`\`\`\`\n\`\`\`\n${CALL}`],
    ['thinking that is not closed', `<think>\n${CALL}`],
    ['thinking that another name closes', `<thinking>\n</think>\n${CALL}`],
  ])('in %s is not run, whatever follows', (_, text) => {
    expect(bodyOf(`${text}\n${REAL}`)).toBe('NO_BLOCK');
  });

  it('is named as the reason when there is no other', () => {
    expect(findBlock(`> ${CALL}`)).toMatchObject({
      diagnostic: { message: expect.stringContaining('those in code, quotes or thinking are text') as unknown },
    });
    expect(findBlock('just words')).toMatchObject({
      diagnostic: { message: 'the text holds no <<<[TOOL_REQUEST]>>> block' },
    });
  });
});

describe('a call that is meant', () => {
  it.each([
    ['after inline code on its line', `Use \`a\` and \`\`b\`\`: ${REAL}`],
    ['after three backticks that are inline code', `\`\`\`a\`\`\` is code\n${REAL}`],
    ['after a thought on its line', `<think>hm</think>${REAL}`],
    ['after a tag that only code names', `The tag \`<think>\` opens a thought.\n${REAL}`],
    ['after another tag', `<thinker>\n${REAL}`],
    ['after a comparison', `1 > 0\n${REAL}`],
    ['after a backtick that is not closed on an earlier line', `it\`s\n${REAL}`],
    ['before a fence that is not closed', `${REAL}\n\`\`\`\n`],
    ['before a thought that is not closed', `${REAL} <think>`],
  ])('is run %s', (_, text) => {
    expect(bodyOf(text)).toBe('real');
  });

  it.each([
    ['a fence', '\n```\ncode\n```\n'],
    ['half a fence', '\n```\ncode'],
    ['half a fence of tildes', '\n~~~~\n'],
    ['a quote', '\n> said\n'],
    ['a backtick', ' ` '],
    ['a thought', '<think>hm</think>'],
    ['half a thought', '<think>hm'],
  ])('may hold %s in a value, and a second one is still noticed', (_, value) => {
    const call = `<<<[TOOL_REQUEST]>>>code:「始」${value}「末」<<<[END_TOOL_REQUEST]>>>`;
    expect(bodyOf(call)).toBe(`code:「始」${value}「末」`);
    expect(bodyOf(`${call}\n${REAL}`)).toBe('SEVERAL_BLOCKS');
  });
});

it.each([
  ['backticks', '`'],
  ['backticks and spaces', '` `` '],
  ['lines of backticks', '```\n'],
  ['fences of growing length', '`'.repeat(400) + '\n~~~\n'],
  ['quote marks', '>'],
  ['lines of quotes', '>\n'],
  ['open thoughts', '<think>'],
  ['closed thoughts', '<think></think>'],
  ['markers', '<<<[TOOL_REQUEST]>>>'],
  ['markers in inline code', '`<<<[TOOL_REQUEST]>>>'],
  ['markers in quotes', '> <<<[TOOL_REQUEST]>>>\n'],
  ['markers in thoughts', '<think><<<[TOOL_REQUEST]>>></think>'],
  ['spaces', ' '],
  ['line breaks', '\n'],
])('reads 1 MB of %s in linear time', (_, piece) => {
  const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
  const started = performance.now();
  findBlock(text);
  findBlock(`${CALL}\n${text}`);
  findBlock(`\`${text}`);
  // Minutes in a parser that is not linear; a busy machine takes its part of a second.
  expect(performance.now() - started).toBeLessThan(4_000);
});
